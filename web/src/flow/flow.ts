/* flow/flow.ts — the document as its author wrote it, and how the views read it. Order and unknown members are kept; what is
 * derived is memoised on the document and never stored in it.
 *
 *     Flow ──► nodesOf: steps, with the triggers that stand in a list of their own
 *          ──► linesOf: lines, with a key that stays while the line does
 *
 * Not here: how a format writes them down (format.ts), changes (edit.ts, commands/), what the engine thinks of it
 * (POST /api/checks). */
import { t } from '../texts/flow';
import { formatOf } from './format';
import { isList, isObject, type Json, type JsonObject, parseJson, printJson, textOf } from './json';
import { memo } from './memo';
import { isStartType } from './roles';
import type { Slot } from './steps/read';

export { usualPort } from './graph/read';
export { memo } from './memo';
export { isEndType, isGateway, isStartType, roleOf } from './roles';

/** A document that the canvas can edit: of the graph, the steps or the serverless format. */
export type Flow = JsonObject;
export type NodeId = string;
export type LineKey = string;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface FlowNode {
  readonly id: NodeId;
  readonly type: string;
  readonly label: string;
  readonly config: JsonObject;
  readonly parent: NodeId | null;
  readonly position: Point | null;
  /** The list of the document in which it stands. */
  readonly list: 'nodes' | 'triggers' | 'steps' | 'states' | 'start';
  readonly index: number;
  readonly raw: JsonObject;
  /** The place of a state in the document, as a JSON Pointer. */
  readonly pointer?: string;
  /** The line below its name, where its format makes it. */
  readonly caption?: string;
}

export interface FlowLine {
  readonly key: LineKey;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly port: string;
  readonly condition: Json | undefined;
  readonly isDefault: boolean;
  readonly label: string;
  readonly order: number;
  /** Its place in `edges`; -1: it is the `entry` of a trigger. */
  readonly index: number;
  /** In the steps format: where its step has it. */
  readonly slot?: Slot;
  /** In a flow of states: where its transition stands, as a JSON Pointer. */
  readonly pointer?: string;
}

export const nodesOf = (flow: Flow): readonly FlowNode[] => formatOf(flow).nodes(flow);

const nodeMap = memo(
  (flow): ReadonlyMap<NodeId, FlowNode> => new Map(nodesOf(flow).map((node) => [node.id, node])),
);

export function findNode(flow: Flow, id: NodeId): FlowNode | undefined {
  return nodeMap(flow).get(id);
}

export const linesOf = (flow: Flow): readonly FlowLine[] => formatOf(flow).lines(flow);

interface Ends {
  readonly from: ReadonlyMap<NodeId, readonly FlowLine[]>;
  readonly to: ReadonlyMap<NodeId, readonly FlowLine[]>;
}

const endsOf = memo((flow): Ends => {
  const from = new Map<NodeId, FlowLine[]>();
  const to = new Map<NodeId, FlowLine[]>();
  const put = (map: Map<NodeId, FlowLine[]>, id: NodeId, line: FlowLine) => {
    const list = map.get(id);
    if (list === undefined) map.set(id, [line]);
    else list.push(line);
  };
  for (const line of linesOf(flow)) {
    put(from, line.from, line);
    put(to, line.to, line);
  }
  for (const list of from.values()) list.sort((a, b) => a.order - b.order);
  return { from, to };
});

const NONE: readonly FlowLine[] = [];

/** Lines that leave a step, in the order in which the engine asks them. */
export const linesFrom = (flow: Flow, id: NodeId): readonly FlowLine[] => endsOf(flow).from.get(id) ?? NONE;
export const linesTo = (flow: Flow, id: NodeId): readonly FlowLine[] => endsOf(flow).to.get(id) ?? NONE;

export function findLine(flow: Flow, key: LineKey): FlowLine | undefined {
  return linesOf(flow).find((line) => line.key === key);
}

export const startsOf = (flow: Flow) => nodesOf(flow).filter((node) => isStartType(node.type));

const childMap = memo((flow): ReadonlyMap<NodeId, readonly FlowNode[]> => {
  const children = new Map<NodeId, FlowNode[]>();
  for (const node of nodesOf(flow)) {
    if (node.parent === null) continue;
    const list = children.get(node.parent);
    if (list === undefined) children.set(node.parent, [node]);
    else list.push(node);
  }
  return children;
});
const CHILDLESS: readonly FlowNode[] = [];

export const childrenOf = (flow: Flow, id: NodeId): readonly FlowNode[] =>
  childMap(flow).get(id) ?? CHILDLESS;

/** Steps inside of a loop, and inside of loops inside. */
export function insideOf(flow: Flow, id: NodeId, depth = 0): readonly FlowNode[] {
  if (depth > 32) return [];
  return childrenOf(flow, id).flatMap((node) => [node, ...insideOf(flow, node.id, depth + 1)]);
}

export type Opened =
  | { readonly kind: 'flow'; readonly flow: Flow }
  /** It is a document that the canvas cannot edit: another family or spelling. */
  | { readonly kind: 'other'; readonly value: Json; readonly why: string };

/** Whether the canvas can edit a document, and why not. */
export function openValue(value: Json): Opened {
  const other = (why: string): Opened => ({ kind: 'other', value, why });
  if (!isObject(value)) return other(t.aFlowIsAnObject);
  const format = formatOf(value);
  const dialect = textOf(value['dialect']);
  const isGraph = dialect.startsWith('graph/') || (dialect === '' && isList(value['nodes']));
  if (format.name === 'graph' && !isGraph) return other(t.theTextChangesThisKind);
  const why = format.whyNot(value);
  return why === null ? { kind: 'flow', flow: value } : other(why);
}

export const printFlow = (flow: Json): string => `${printJson(flow)}\n`;

export function parseFlow(
  text: string,
): Opened | { readonly kind: 'broken'; readonly why: string; readonly at: number } {
  const outcome = parseJson(text);
  if (outcome.ok) return openValue(outcome.value);
  const { message, line, column, at } = outcome.mistake;
  return { kind: 'broken', why: t.lineCharacter(message, line, column), at };
}

/** Everything that must not become wrong by a command: ids twice, lines without ends, steps in loops that are not there. */
export function findBroken(flow: Flow): readonly string[] {
  const broken: string[] = [];
  const ids = new Set<string>();
  for (const { id } of nodesOf(flow)) {
    if (ids.has(id)) broken.push(`two steps are ${id}`);
    ids.add(id);
  }
  const keys = new Set<string>();
  for (const line of linesOf(flow)) {
    if (!ids.has(line.from)) broken.push(`${line.key} begins nowhere`);
    if (!ids.has(line.to)) broken.push(`${line.key} leads nowhere`);
    if (keys.has(line.key)) broken.push(`two lines are ${line.key}`);
    keys.add(line.key);
  }
  for (const { id, parent } of nodesOf(flow))
    if (parent !== null && !ids.has(parent)) broken.push(`${id} is in a loop that is not there`);
  return broken;
}

/** The highest number at the end of an id; ids of new steps go on behind it. */
export function highestId(flow: Flow): number {
  let highest = 0;
  for (const { id } of nodesOf(flow)) {
    const digits = /(\d{1,9})$/.exec(id)?.[1];
    if (digits !== undefined) highest = Math.max(highest, Number(digits));
  }
  return highest;
}

/** The name of a step: its label, else the words of its type, else its id. */
export function nameOf(flow: Flow, id: NodeId): string {
  const node = findNode(flow, id);
  return node === undefined || node.label === '' ? `“${id}”` : `“${node.label}”`;
}
