/* flow/graph/format.ts — how changes are written into a document of the graph format. Each function returns a new document that
 * shares what did not change. */
import type { Flow, FlowLine, FlowNode, NodeId } from '../flow';
import type { Format, LineChange, NewLine, NewNode } from '../format';
import { isList, isObject, type Json, type JsonObject, pointOf, textOf, withMember, withPath } from '../json';
import { isStartType } from '../roles';
import { renamePlaceholders } from '../template';
import { findGraphNode, graphLines, graphNodes, listOf, usualPort, whyNoGraph } from './read';

const SHIFT = 32;

function withItem(flow: Flow, name: string, index: number, item: JsonObject): Flow {
  return { ...flow, [name]: listOf(flow, name).map((old, i) => (i === index ? item : old)) };
}

const putNode = (flow: Flow, node: FlowNode, raw: JsonObject): Flow =>
  withItem(flow, node.list, node.index, raw);

/* A field of a step is in its `config`; triggers of the list `triggers` have none. */
function putField(flow: Flow, node: FlowNode, path: readonly string[], value: Json | undefined): Flow {
  if (node.list === 'triggers') return putNode(flow, node, withPath(node.raw, path, value));
  const raw = withPath(node.raw, ['config', ...path], value);
  const config = raw['config'];
  // A config that has become empty goes, too.
  return putNode(
    flow,
    node,
    value === undefined && isObject(config) && Object.keys(config).length === 0
      ? withMember(raw, 'config', undefined)
      : raw,
  );
}

const putMember = (flow: Flow, node: FlowNode, name: string, value: Json | undefined): Flow =>
  putNode(flow, node, withMember(node.raw, name, value));

function rawNode({ id, type, label, config, parent, position }: NewNode): JsonObject {
  return {
    id,
    type,
    ...(label === '' ? {} : { label }),
    ...(parent === null ? {} : { parent }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(position === null ? {} : { position: { x: position.x, y: position.y } }),
  };
}

const addRaw = (flow: Flow, added: readonly JsonObject[]): Flow => ({
  ...flow,
  nodes: [...listOf(flow, 'nodes'), ...added],
});

function addEdge(flow: Flow, { from, port, to }: NewLine, members: JsonObject): Flow {
  const usual = usualPort(findGraphNode(flow, from)?.type ?? '');
  const edge = { from, ...(port === usual && port === 'out' ? {} : { fromPort: port }), to, ...members };
  return { ...flow, edges: [...listOf(flow, 'edges'), edge] };
}

/** Takes lines away; those that are the `entry` of a trigger, from the trigger. */
function removeLines(flow: Flow, lines: readonly FlowLine[]): Flow {
  const indexes = new Set(lines.map((line) => line.index));
  let next = flow;
  if (lines.some((line) => line.index >= 0))
    next = { ...next, edges: listOf(flow, 'edges').filter((_, index) => !indexes.has(index)) };
  for (const line of lines.filter((line) => line.index < 0)) {
    const node = findGraphNode(next, line.from);
    if (node === undefined) continue;
    if (node.list === 'nodes' && node.config['entry'] !== undefined)
      next = putField(next, node, ['entry'], undefined);
    else next = putMember(next, node, 'entry', undefined);
  }
  return next;
}

function membersOf(change: LineChange): JsonObject {
  return {
    ...('to' in change ? { to: change.to } : {}),
    ...('port' in change ? { fromPort: change.port } : {}),
    ...('condition' in change ? { condition: change.condition } : {}),
    ...('isDefault' in change ? { default: change.isDefault ? true : undefined } : {}),
    ...('label' in change ? { label: change.label === '' ? undefined : change.label } : {}),
  };
}

function putEdge(flow: Flow, line: FlowLine, members: JsonObject): Flow {
  const old = listOf(flow, 'edges')[line.index];
  let raw: JsonObject = isObject(old) ? old : {};
  for (const [name, value] of Object.entries(members)) raw = withMember(raw, name, value);
  return withItem(flow, 'edges', line.index, raw);
}

/* The `entry` of a trigger becomes a line first. */
function putLine(flow: Flow, line: FlowLine, change: LineChange): Flow {
  const members = membersOf(change);
  if (line.index >= 0) return putEdge(flow, line, members);
  const own = Object.entries(members).filter(([, value]) => value !== undefined);
  return addEdge(removeLines(flow, [line]), line, Object.fromEntries(own));
}

function orderLines(flow: Flow, keys: readonly string[]): Flow {
  let next = flow;
  keys.forEach((key, order) => {
    const line = graphLines(next).find((each) => each.key === key);
    if (line !== undefined && line.index >= 0) next = putEdge(next, line, { order });
  });
  return next;
}

/* A trigger may name its first step beside lines that count more; no name of a step that has gone stays behind. */
function removeEntries(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  let next = flow;
  for (const { id, type } of graphNodes(flow)) {
    if (!isStartType(type)) continue;
    const node = findGraphNode(next, id);
    if (node !== undefined && ids.has(textOf(node.raw['entry'])))
      next = putMember(next, node, 'entry', undefined);
    const again = findGraphNode(next, id);
    if (again?.list === 'nodes' && ids.has(textOf(again.config['entry'])))
      next = putField(next, again, ['entry'], undefined);
  }
  return next;
}

function removeNodes(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  const gone = graphLines(flow).filter((line) => ids.has(line.from) || ids.has(line.to));
  const without = removeEntries(removeLines(flow, gone), ids);
  const keep = (item: Json) => !(isObject(item) && ids.has(textOf(item['id'])));
  return {
    ...without,
    ...(flow['nodes'] === undefined ? {} : { nodes: listOf(without, 'nodes').filter(keep) }),
    ...(flow['triggers'] === undefined ? {} : { triggers: listOf(without, 'triggers').filter(keep) }),
  };
}

function renamed(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return renamePlaceholders(value, names);
  if (isList(value)) return value.map((item) => renamed(item, names));
  return isObject(value) ? renamedObject(value, names) : value;
}

function renamedObject(value: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === undefined ? null : renamed(member, names),
    ]),
  );
}

export const graphFormat: Format = {
  name: 'graph',
  isPlaced: true,
  whyNot: whyNoGraph,
  withId: (flow, definitionId) => ({ ...flow, definitionId }),
  nodes: graphNodes,
  lines: graphLines,
  putMember,
  putField,
  addNodes: (flow, added) => addRaw(flow, added.map(rawNode)),
  removeNodes,
  addLine: (flow, line) => addEdge(flow, line, line.isDefault === true ? { default: true } : {}),
  removeLines,
  putLine,
  orderLines,
  // Copies get new ids, the lines among them, and placeholders that named a copied step name its copy.
  paste: (flow, { nodes, edges }, names) => {
    const isPlaced = graphNodes(flow).some((node) => node.position !== null);
    const copies = nodes.map((raw) => {
      const parent = textOf(raw['parent']);
      const at = isPlaced ? pointOf(raw['position']) : null;
      const own = { ...renamedObject(raw, names), id: names.get(textOf(raw['id'])) ?? '' };
      const home =
        names.get(parent) ?? (findGraphNode(flow, parent)?.type === 'for_each' ? parent : undefined);
      return withMember(
        withMember(own, 'parent', home),
        'position',
        at === null ? undefined : { x: at.x + SHIFT, y: at.y + SHIFT },
      );
    });
    const next = addRaw(flow, copies);
    const lines = edges.flatMap((raw) => {
      const from = names.get(textOf(raw['from']));
      const to = names.get(textOf(raw['to']));
      if (from === undefined || to === undefined) return [];
      return [withMember({ ...renamedObject(raw, names), from, to }, 'id', undefined)];
    });
    return lines.length === 0 ? next : { ...next, edges: [...listOf(next, 'edges'), ...lines] };
  },
  copy: (flow, ids) => {
    const nodes = graphNodes(flow)
      .filter(
        (node) =>
          (ids.has(node.id) || (node.parent !== null && ids.has(node.parent))) && node.list === 'nodes',
      )
      .map((node) => node.raw);
    const copied = new Set(nodes.map((raw) => textOf(raw['id'])));
    const edges = listOf(flow, 'edges').filter(
      (raw) => isObject(raw) && copied.has(textOf(raw['from'])) && copied.has(textOf(raw['to'])),
    );
    return { nodes, edges };
  },
};
