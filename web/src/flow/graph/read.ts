/* flow/graph/read.ts — nodes and lines of the graph format. Triggers may stand in a list of their own. */
import type { Flow, FlowLine, FlowNode, NodeId } from '../flow';
import { isList, isObject, type Json, type JsonObject, pointOf, textOf } from '../json';
import { memo } from '../memo';
import { isStartType } from '../roles';
import { t } from '../../texts/flow';

/** Other words for types, which the engine takes in any case: those of its table (table.test.ts compares them). */
export const TYPE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['manual', 'trigger_manual'],
  ['manualtrigger', 'trigger_manual'],
  ['cron', 'trigger_cron'],
  ['schedule', 'trigger_cron'],
  ['trigger_schedule', 'trigger_cron'],
  ['scheduledtrigger', 'trigger_cron'],
  ['http', 'trigger_webhook'],
  ['webhook', 'trigger_webhook'],
  ['trigger_http', 'trigger_webhook'],
  ['httpwebhooktrigger', 'trigger_webhook'],
  ['mqtt', 'trigger_mqtt'],
  ['mqtttelemetrytrigger', 'trigger_mqtt'],
  ['poll', 'trigger_poll'],
  ['polling', 'trigger_poll'],
  ['pollingtrigger', 'trigger_poll'],
  ['logicgate', 'LogicGate'],
  ['switchgate', 'SwitchGate'],
  ['faningate', 'FanInGate'],
  ['staticforloop', 'StaticForLoop'],
  ['staticforloopnode', 'StaticForLoop'],
  ['setcontext', 'SetContext'],
  ['setcontextnode', 'SetContext'],
]);
const typeOf = (raw: JsonObject): string => {
  const type = textOf(raw['type']);
  return TYPE_ALIASES.get(type.toLowerCase()) ?? type;
};
const LISTED_OWN = ['id', 'type', 'label', 'name', 'description', 'entry', 'position'];

/** The word for a type in the list `triggers`. */
export function listedType(type: string): string {
  for (const [word, full] of TYPE_ALIASES) if (full === type) return word;
  return type;
}

export function listOf(flow: Flow, name: string): readonly Json[] {
  const list = flow[name];
  return isList(list) ? list : [];
}

function readNode(raw: JsonObject, index: number): FlowNode {
  return {
    id: textOf(raw['id']),
    type: typeOf(raw),
    label: textOf(raw['label']) || textOf(raw['name']),
    config: isObject(raw['config']) ? raw['config'] : {},
    parent: typeof raw['parent'] === 'string' ? raw['parent'] : null,
    position: pointOf(raw['position']),
    list: 'nodes',
    index,
    raw,
  };
}

function readListed(raw: JsonObject, index: number): FlowNode {
  return {
    id: textOf(raw['id']),
    type: typeOf(raw),
    label: textOf(raw['label']) || textOf(raw['name']),
    config: Object.fromEntries(Object.entries(raw).filter(([name]) => !LISTED_OWN.includes(name))),
    parent: null,
    position: pointOf(raw['position']),
    list: 'triggers',
    index,
    raw,
  };
}

export const listedTriggers = (flow: Flow): readonly FlowNode[] =>
  listOf(flow, 'triggers').flatMap((raw, index) => (isObject(raw) ? [readListed(raw, index)] : []));

export const graphNodes = memo((flow): readonly FlowNode[] => {
  const nodes = listOf(flow, 'nodes').flatMap((raw, index) => (isObject(raw) ? [readNode(raw, index)] : []));
  const ids = new Set(nodes.map((node) => node.id));
  return [...listedTriggers(flow).filter((node) => !ids.has(node.id)), ...nodes];
});

const nodeMap = memo(
  (flow): ReadonlyMap<NodeId, FlowNode> => new Map(graphNodes(flow).map((node) => [node.id, node])),
);

export const findGraphNode = (flow: Flow, id: NodeId): FlowNode | undefined => nodeMap(flow).get(id);

/** The port of a line that names none. */
export const usualPort = (type: string): string => (type === 'for_each' ? 'done' : 'out');

/** Keys of lines, made of what a line is about; the second of two that are alike gets a number. */
export function keyMaker(): (wanted: string) => string {
  const used = new Map<string, number>();
  return (wanted) => {
    const count = (used.get(wanted) ?? 0) + 1;
    used.set(wanted, count);
    return count === 1 ? wanted : `${wanted}#${count}`;
  };
}

export const graphLines = memo((flow): readonly FlowLine[] => {
  const keyFor = keyMaker();
  const lines = listOf(flow, 'edges').flatMap((raw, index): FlowLine[] => {
    if (!isObject(raw)) return [];
    const from = textOf(raw['from']);
    const to = textOf(raw['to']);
    const port = textOf(raw['fromPort']) || usualPort(findGraphNode(flow, from)?.type ?? '');
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
  const entries = graphNodes(flow).flatMap((node): FlowLine[] => {
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

/** Why the canvas cannot edit a document of this format; null: it can. */
export function whyNoGraph(flow: Flow): string | null {
  if (flow['connections'] !== undefined) return t.thisFlowIsWritten;
  for (const name of ['nodes', 'edges', 'triggers']) {
    const list = flow[name];
    if (list !== undefined && !(isList(list) && list.every(isObject))) return t.isNoListOfObjects(name);
  }
  const seen = new Set<string>();
  for (const node of graphNodes(flow)) {
    if (node.id === '' || node.type === '') return t.aStepHasNoId;
    if (seen.has(node.id)) return t.twoStepsHaveTheId(node.id);
    seen.add(node.id);
  }
  return graphLines(flow).some((line) => line.from === '' || line.to === '') ? t.aLineDoesNotSay : null;
}
