/* flow/flow.ts — the document as its author wrote it, and how the views read it. Order and unknown members are kept; what is
 * derived is memoised on the document and never stored in it.
 *
 *     Flow ──► nodesOf: steps, with the triggers that stand in a list of their own
 *          ──► linesOf: lines, with a key that stays while the line does
 *
 * Not here: changes (edit.ts, commands/), what the engine thinks of it (POST /api/checks). */
import { isList, isObject, type Json, type JsonObject, parseJson, printJson } from './json';

/** A document of the graph format. */
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
  /** In which list of the document it stands. */
  readonly list: 'nodes' | 'triggers';
  readonly index: number;
  readonly raw: JsonObject;
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
}

export const START_TYPES = [
  'trigger_manual',
  'trigger_cron',
  'trigger_webhook',
  'trigger_mqtt',
  'trigger_poll',
] as const;

/* Triggers that stand in `triggers` have shorter names for their types. */
const LISTED_TYPES: { readonly [word: string]: string } = {
  manual: 'trigger_manual',
  cron: 'trigger_cron',
  http: 'trigger_webhook',
  webhook: 'trigger_webhook',
  mqtt: 'trigger_mqtt',
  poll: 'trigger_poll',
};
const LISTED_OWN = ['id', 'type', 'label', 'entry', 'position'];

export function isStartType(type: string): boolean {
  return START_TYPES.some((start) => start === type);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function pointOf(value: Json | undefined): Point | null {
  if (!isObject(value)) return null;
  const { x, y } = value;
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
}

function listOf(flow: Flow, name: string): readonly Json[] {
  const list = flow[name];
  return isList(list) ? list : [];
}

/** Keeps what `read` made of a document for as long as the document lives. */
export function memo<Result>(read: (flow: Flow) => Result): (flow: Flow) => Result {
  const known = new WeakMap<Flow, { readonly result: Result }>();
  return (flow) => {
    const kept = known.get(flow);
    if (kept !== undefined) return kept.result;
    const result = read(flow);
    known.set(flow, { result });
    return result;
  };
}

function readNode(raw: JsonObject, index: number): FlowNode {
  return {
    id: textOf(raw['id']),
    type: textOf(raw['type']),
    label: textOf(raw['label']),
    config: isObject(raw['config']) ? raw['config'] : {},
    parent: typeof raw['parent'] === 'string' ? raw['parent'] : null,
    position: pointOf(raw['position']),
    list: 'nodes',
    index,
    raw,
  };
}

function readListed(raw: JsonObject, index: number): FlowNode {
  const type = textOf(raw['type']);
  return {
    id: textOf(raw['id']),
    type: LISTED_TYPES[type] ?? type,
    label: textOf(raw['label']),
    config: Object.fromEntries(Object.entries(raw).filter(([name]) => !LISTED_OWN.includes(name))),
    parent: null,
    position: pointOf(raw['position']),
    list: 'triggers',
    index,
    raw,
  };
}

export const nodesOf = memo((flow): readonly FlowNode[] => {
  const nodes = listOf(flow, 'nodes').flatMap((raw, index) => (isObject(raw) ? [readNode(raw, index)] : []));
  const ids = new Set(nodes.map((node) => node.id));
  const listed = listOf(flow, 'triggers').flatMap((raw, index) =>
    isObject(raw) ? [readListed(raw, index)] : [],
  );
  return [...listed.filter((node) => !ids.has(node.id)), ...nodes];
});

const nodeMap = memo(
  (flow): ReadonlyMap<NodeId, FlowNode> => new Map(nodesOf(flow).map((node) => [node.id, node])),
);

export function findNode(flow: Flow, id: NodeId): FlowNode | undefined {
  return nodeMap(flow).get(id);
}

export const linesOf = memo((flow): readonly FlowLine[] => {
  const used = new Map<string, number>();
  const keyFor = (wanted: string) => {
    const count = (used.get(wanted) ?? 0) + 1;
    used.set(wanted, count);
    return count === 1 ? wanted : `${wanted}#${count}`;
  };
  const lines = listOf(flow, 'edges').flatMap((raw, index): FlowLine[] => {
    if (!isObject(raw)) return [];
    const from = textOf(raw['from']);
    const to = textOf(raw['to']);
    const port = textOf(raw['fromPort']) || usualPort(findNode(flow, from)?.type ?? '');
    const id = textOf(raw['id']);
    return [
      {
        key: keyFor(id === '' ? `${from}:${port}>${to}` : id),
        from,
        to,
        port,
        condition: raw['condition'],
        isDefault: raw['default'] === true,
        label: textOf(raw['label']),
        order: typeof raw['order'] === 'number' ? raw['order'] : index,
        index,
      },
    ];
  });
  const left = new Set(lines.map((line) => line.from));
  const entries = nodesOf(flow).flatMap((node): FlowLine[] => {
    const to = textOf(node.raw['entry']) || (node.list === 'nodes' ? textOf(node.config['entry']) : '');
    if (to === '' || left.has(node.id) || !isStartType(node.type)) return [];
    const key = keyFor(`${node.id}:out>${to}`);
    return [
      {
        key,
        from: node.id,
        to,
        port: 'out',
        condition: undefined,
        isDefault: false,
        label: '',
        order: 0,
        index: -1,
      },
    ];
  });
  return [...entries, ...lines];
});

/** The port of a line that names none. */
export function usualPort(type: string): string {
  return type === 'for_each' ? 'done' : 'out';
}

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
  if (!isObject(value)) return other('A flow is an object.');
  const dialect = textOf(value['dialect']);
  const isGraph = dialect.startsWith('graph/') || (dialect === '' && isList(value['nodes']));
  if (!isGraph) return other('The canvas shows this kind of flow and the text changes it.');
  if (value['connections'] !== undefined) return other('This flow is written in an older spelling.');
  for (const name of ['nodes', 'edges', 'triggers']) {
    const list = value[name];
    if (list !== undefined && !(isList(list) && list.every(isObject)))
      return other(`“${name}” is no list of objects.`);
  }
  const nodes = nodesOf(value);
  const seen = new Set<string>();
  for (const node of nodes) {
    if (node.id === '' || node.type === '') return other('A step has no id or no type.');
    if (seen.has(node.id)) return other(`Two steps have the id “${node.id}”.`);
    seen.add(node.id);
  }
  if (linesOf(value).some((line) => line.from === '' || line.to === ''))
    return other('A line does not say where it begins or ends.');
  return { kind: 'flow', flow: value };
}

export const printFlow = (flow: Json): string => `${printJson(flow)}\n`;

export function parseFlow(
  text: string,
): Opened | { readonly kind: 'broken'; readonly why: string; readonly at: number } {
  const outcome = parseJson(text);
  if (outcome.ok) return openValue(outcome.value);
  const { message, line, column, at } = outcome.mistake;
  return { kind: 'broken', why: `${message} (line ${line}, character ${column}).`, at };
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

/** What a step is called: its label, else the words of its type, else its id. */
export function nameOf(flow: Flow, id: NodeId): string {
  const node = findNode(flow, id);
  return node === undefined || node.label === '' ? `“${id}”` : `“${node.label}”`;
}
