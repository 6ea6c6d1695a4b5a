/* flow/edit.ts — the few ways in which a document changes. Commands are made of these; each returns a new document that
 * shares what did not change. */
import {
  type Flow,
  findNode,
  type FlowLine,
  type FlowNode,
  linesOf,
  startsOf,
  type NodeId,
  type Point,
  usualPort,
} from './flow';
import { isList, isObject, type Json, type JsonObject, withMember, withPath } from './json';

function listOf(flow: Flow, name: string): readonly Json[] {
  const list = flow[name];
  return isList(list) ? list : [];
}

function withItem(flow: Flow, name: string, index: number, item: JsonObject): Flow {
  return { ...flow, [name]: listOf(flow, name).map((old, i) => (i === index ? item : old)) };
}

/** Makes a change to a step's own object. */
export function putNode(flow: Flow, node: FlowNode, raw: JsonObject): Flow {
  return withItem(flow, node.list, node.index, raw);
}

export interface NewNode {
  readonly id: NodeId;
  readonly type: string;
  readonly label: string;
  readonly config: JsonObject;
  readonly parent: NodeId | null;
  readonly position: Point | null;
}

export function addNodes(flow: Flow, added: readonly JsonObject[]): Flow {
  return { ...flow, nodes: [...listOf(flow, 'nodes'), ...added] };
}

export function rawNode({ id, type, label, config, parent, position }: NewNode): JsonObject {
  return {
    id,
    type,
    ...(label === '' ? {} : { label }),
    ...(parent === null ? {} : { parent }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(position === null ? {} : { position: { x: position.x, y: position.y } }),
  };
}

/** Where a field of the step is kept: triggers of the list `triggers` have no `config`. */
export function setFieldOf(
  flow: Flow,
  node: FlowNode,
  path: readonly string[],
  value: Json | undefined,
): Flow {
  if (node.list === 'triggers') return putNode(flow, node, withPath(node.raw, path, value));
  return putNode(flow, node, withPath(node.raw, ['config', ...path], value));
}

export function setMemberOf(flow: Flow, node: FlowNode, name: string, value: Json | undefined): Flow {
  return putNode(flow, node, withMember(node.raw, name, value));
}

export interface NewLine {
  readonly from: NodeId;
  readonly port: string;
  readonly to: NodeId;
  readonly members?: JsonObject;
}

export function addLines(flow: Flow, lines: readonly NewLine[]): Flow {
  const raw = lines.map(({ from, port, to, members }): JsonObject => {
    const usual = usualPort(findNode(flow, from)?.type ?? '');
    return { from, ...(port === usual && port === 'out' ? {} : { fromPort: port }), to, ...members };
  });
  return raw.length === 0 ? flow : { ...flow, edges: [...listOf(flow, 'edges'), ...raw] };
}

/** Takes lines away; those that are the `entry` of a trigger, from the trigger. */
export function removeLines(flow: Flow, lines: readonly FlowLine[]): Flow {
  const indexes = new Set(lines.map((line) => line.index));
  let next = flow;
  if (lines.some((line) => line.index >= 0))
    next = { ...next, edges: listOf(flow, 'edges').filter((_, index) => !indexes.has(index)) };
  for (const line of lines.filter((line) => line.index < 0)) {
    const node = findNode(next, line.from);
    if (node === undefined) continue;
    if (node.list === 'nodes' && node.config['entry'] !== undefined)
      next = setFieldOf(next, node, ['entry'], undefined);
    else next = setMemberOf(next, node, 'entry', undefined);
  }
  return next;
}

/** Changes members of a line. The `entry` of a trigger becomes a line first. */
export function putLine(flow: Flow, line: FlowLine, members: JsonObject): Flow {
  if (line.index < 0) {
    const without = removeLines(flow, [line]);
    return addLines(without, [{ from: line.from, port: line.port, to: line.to, members }]);
  }
  const old = listOf(flow, 'edges')[line.index] as JsonObject;
  let raw = old;
  for (const [name, value] of Object.entries(members)) raw = withMember(raw, name, value);
  return withItem(flow, 'edges', line.index, raw);
}

/* A trigger may name its first step beside lines that count more; no name of a step that has gone stays behind. */
function removeEntries(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  let next = flow;
  for (const { id } of startsOf(flow)) {
    const node = findNode(next, id);
    if (node !== undefined && ids.has(node.raw['entry'] as string))
      next = setMemberOf(next, node, 'entry', undefined);
    const again = findNode(next, id);
    if (again?.list === 'nodes' && ids.has(again.config['entry'] as string))
      next = setFieldOf(next, again, ['entry'], undefined);
  }
  return next;
}

export function removeNodes(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  const gone = linesOf(flow).filter((line) => ids.has(line.from) || ids.has(line.to));
  const without = removeEntries(removeLines(flow, gone), ids);
  const keep = (item: Json) => !(isObject(item) && ids.has(item['id'] as string));
  return {
    ...without,
    ...(flow['nodes'] === undefined ? {} : { nodes: listOf(without, 'nodes').filter(keep) }),
    ...(flow['triggers'] === undefined ? {} : { triggers: listOf(without, 'triggers').filter(keep) }),
  };
}
