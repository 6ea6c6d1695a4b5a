/* flow/data.ts — what a step can use: the values that earlier steps give, with names that people know. Types of steps come from
 * GET /api/node-types and are handed in. */
import {
  findNode,
  type Flow,
  type FlowNode,
  isStartType,
  linesTo,
  type NodeId,
  nodesOf,
  startsOf,
} from './flow';
import { t } from '../texts/flow';
import { isSteps } from './format';
import { isList, isObject, type Json, type JsonObject, textOf } from './json';
import { fieldsOf, sayName, type SchemaField } from './schema-fields';
import { namedVariables, stepGives } from './steps/data';
import type { Path } from './template';

export interface NodePort {
  readonly name: string;
  readonly label: string;
}

export interface NodeParam {
  readonly name: string;
  readonly label: string;
  readonly kind: string;
  readonly required: boolean;
  readonly template: boolean;
  readonly default?: Json | undefined;
  readonly words?: readonly string[] | undefined;
  readonly help?: string | undefined;
  /** Another spelling of the name. */
  readonly otherName?: string | undefined;
  /** If that field is given, `decided` is the default. */
  readonly decidedBy?: string | undefined;
  readonly decided?: Json | undefined;
  /** It means something if the field has one of the words. */
  readonly onlyIf?: { readonly field: string; readonly words: readonly string[] } | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export interface NodeOutput {
  readonly name: string;
  readonly label: string;
  readonly type: string;
}

export interface NodeType {
  readonly type: string;
  readonly label: string;
  readonly category: string;
  readonly kind: string;
  readonly ports: readonly NodePort[];
  readonly params: readonly NodeParam[];
  readonly outputs: readonly NodeOutput[];
  /** Fields beside the config that have an effect. */
  readonly fields?: readonly string[] | undefined;
  /** Other names of the type, in any case. */
  readonly aliases?: readonly string[] | undefined;
}

export type NodeTypes = ReadonlyMap<string, NodeType>;

export interface DataItem {
  readonly path: Path;
  readonly label: string;
  /** Type of the value: text, number, boolean, time, list, object, any. */
  readonly type: string;
  /** The step that gives it; null: the flow itself. */
  readonly node: NodeId | null;
  /** The step's type, for the colour of the pill's edge. */
  readonly nodeType: string;
  /** The values that it can have, where they are known. */
  readonly choices: readonly string[];
}

const DULL = [
  'task_id',
  'taken',
  'message_id',
  'accepted',
  'assigned',
  'headers',
  'method',
  'path',
  'qos',
  'retained',
  'time_zone',
];

export { fieldsOf, sayName, type SchemaField } from './schema-fields';

/** The form that a start shows, wherever the document keeps it, and where a change of it belongs. */
export function inputSchemaOf(flow: Flow, start: FlowNode | undefined): Json | undefined {
  if (isSteps(flow)) return flow['input_schema'];
  const own = start?.config['inputSchema'];
  if (own !== undefined) return own;
  const settings = flow['settings'];
  return (isObject(settings) ? settings['inputSchema'] : undefined) ?? flow['inputSchema'];
}

/** Steps from which a way leads to this one. */
export function before(flow: Flow, id: NodeId): readonly NodeId[] {
  const found = new Set<NodeId>();
  const queue = [id];
  for (let at = 0; at < queue.length; at++) {
    const here = queue[at] ?? '';
    const parent = findNode(flow, here)?.parent;
    const sources = linesTo(flow, here).map((line) => line.from);
    for (const source of parent !== null && parent !== undefined ? [...sources, parent] : sources)
      if (!found.has(source) && source !== id) {
        found.add(source);
        queue.push(source);
      }
  }
  return [...found];
}

function fromStart(flow: Flow, start: FlowNode, types: NodeTypes): readonly DataItem[] {
  const of = { node: start.id, nodeType: start.type };
  const fields = fieldsOf(inputSchemaOf(flow, start)).map((field): DataItem => ({
    ...of,
    path: ['trigger', 'payload', field.name],
    ...pick(field),
  }));
  const outputs = (types.get(start.type)?.outputs ?? [])
    .filter((output) => !DULL.includes(output.name) && (output.name !== 'payload' || fields.length === 0))
    .map((output): DataItem => ({
      ...of,
      path: ['trigger', output.name],
      label: output.label,
      type: output.type,
      choices: [],
    }));
  return [...fields, ...outputs];
}

const pick = ({ label, type, choices }: SchemaField) => ({ label, type, choices });

/** The names that an action keeps of its result; null: all that its type gives. */
function keptOf(node: FlowNode, types: NodeTypes): readonly string[] | null {
  const isAction = types.get(node.type)?.params.some(({ name }) => name === 'output') === true;
  const kept = isAction ? node.config['output'] : undefined;
  return isObject(kept) ? Object.keys(kept) : null;
}

function fromStep(flow: Flow, node: FlowNode, types: NodeTypes): readonly DataItem[] {
  if (isSteps(flow)) return stepGives(flow, node);
  if (isStartType(node.type)) return fromStart(flow, node, types);
  const of = { node: node.id, nodeType: node.type };
  const kept = keptOf(node, types);
  if (kept !== null)
    return kept.map((name) => ({
      ...of,
      path: ['nodes', node.id, name],
      label: sayName(name),
      type: 'any',
      choices: [],
    }));
  const outputs = (types.get(node.type)?.outputs ?? []).filter((output) => !DULL.includes(output.name));
  return outputs.flatMap((output): DataItem[] => {
    const path: Path = ['nodes', node.id, output.name];
    if (node.type === 'human_task' && output.name === 'payload') {
      const fields = fieldsOf(node.config['formSchema']);
      return fields.map((field) => ({ ...of, path: [...path, field.name], ...pick(field) }));
    }
    const list = node.config['decisions'];
    const choices =
      output.name === 'decision' && isList(list) ? list.filter((word) => typeof word === 'string') : [];
    return [{ ...of, path, label: output.label, type: output.type, choices }];
  });
}

function variables(flow: Flow, steps: readonly FlowNode[]): readonly DataItem[] {
  if (isSteps(flow)) return namedVariables(flow);
  const own: JsonObject = isObject(flow['variables']) ? flow['variables'] : {};
  const set = steps.filter((node) => node.type === 'set_variables').map((node) => node.config['values']);
  const names = new Set([
    ...Object.keys(own),
    ...set.flatMap((values) => (isObject(values) ? Object.keys(values) : [])),
  ]);
  return [...names].map((name): DataItem => {
    const value = own[name];
    const type = typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'any';
    return {
      path: ['vars', name],
      label: sayName(name),
      type,
      node: null,
      nodeType: 'set_variables',
      choices: [],
    };
  });
}

function ofLoop(flow: Flow, id: NodeId): readonly DataItem[] {
  const loop = findNode(flow, findNode(flow, id)?.parent ?? '');
  if (loop === undefined) return [];
  const of = { node: loop.id, nodeType: loop.type, choices: [] };
  const item = textOf(loop.config['itemVar']) || 'item';
  const index = textOf(loop.config['indexVar']) || 'index';
  return [
    { ...of, path: [item], label: t.thisItem, type: 'any' },
    { ...of, path: [index], label: t.numberOfThisItem, type: 'number' },
  ];
}

/** The values that a step can use, nearest first; with its own outputs for the lines that leave it. */
export function dataAt(flow: Flow, id: NodeId, types: NodeTypes, withOwn = false): readonly DataItem[] {
  const steps = before(flow, id).flatMap((each) => findNode(flow, each) ?? []);
  const own = withOwn ? findNode(flow, id) : undefined;
  const starts = steps.filter((node) => isStartType(node.type));
  const others = steps.filter((node) => !isStartType(node.type));
  const asked = starts.length > 0 || own !== undefined ? starts : startsOf(flow);
  const seen = new Set<string>();
  return [
    ...(own === undefined ? [] : fromStep(flow, own, types)),
    ...asked.flatMap((node) => fromStep(flow, node, types)),
    ...ofLoop(flow, id),
    ...others.flatMap((node) => fromStep(flow, node, types)),
    ...variables(flow, nodesOf(flow)),
  ].filter(({ path }) => {
    const key = JSON.stringify(path);
    return seen.has(key) ? false : seen.add(key).size > 0;
  });
}

/** The values that a step gives to those behind it. */
export function dataOf(flow: Flow, id: NodeId, types: NodeTypes): readonly DataItem[] {
  const node = findNode(flow, id);
  return node === undefined ? [] : fromStep(flow, node, types);
}

const startsWith = (path: Path, start: Path) => start.every((step, i) => path[i] === step);

/** The name of a value for people, and whose it is. Two steps that give the same are told apart by the step's name. */
export function labelPath(
  flow: Flow,
  path: Path,
  types: NodeTypes,
): { readonly label: string; readonly nodeType: string } {
  const all = allData(flow, types);
  const exact = all.find((item) => item.path.length === path.length && startsWith(path, item.path));
  if (exact !== undefined) return { label: tellApart(flow, exact, all), nodeType: exact.nodeType };
  const whole = all
    .filter((item) => startsWith(path, item.path))
    .sort((a, b) => b.path.length - a.path.length)[0];
  const last = path.at(-1);
  const name = typeof last === 'string' ? sayName(last) : t.number((last ?? 0) + 1);
  if (whole !== undefined) return { label: name, nodeType: whole.nodeType };
  const node = path[0] === 'nodes' ? findNode(flow, String(path[1])) : undefined;
  return {
    label: path[0] === '__resume' ? t.lastAnswer(name) : name,
    nodeType: node?.type ?? 'set_variables',
  };
}

export function tellApart(flow: Flow, item: DataItem, all: readonly DataItem[]): string {
  const same = all.filter(
    (other) => other.label === item.label && JSON.stringify(other.path) !== JSON.stringify(item.path),
  );
  const owner = item.node === null ? undefined : findNode(flow, item.node);
  return same.length > 0 && owner !== undefined && owner.label !== ''
    ? t.of(item.label, owner.label)
    : item.label;
}

const known = new WeakMap<NodeTypes, WeakMap<Flow, readonly DataItem[]>>();

/** Everything that any step of the flow gives. */
export function allData(flow: Flow, types: NodeTypes): readonly DataItem[] {
  let byFlow = known.get(types);
  if (byFlow === undefined) {
    byFlow = new WeakMap();
    known.set(types, byFlow);
  }
  const kept = byFlow.get(flow);
  if (kept !== undefined) return kept;
  const loops = nodesOf(flow).filter((node) => node.type === 'for_each');
  const items = [
    ...nodesOf(flow).flatMap((node) => fromStep(flow, node, types)),
    ...variables(flow, nodesOf(flow)),
    ...loops.flatMap((loop) => {
      const [child] = nodesOf(flow).filter((node) => node.parent === loop.id);
      return child === undefined ? [] : ofLoop(flow, child.id);
    }),
  ];
  byFlow.set(flow, items);
  return items;
}
