/* flow/serverless/read.ts — nodes and lines of a Serverless Workflow. Its states are the nodes, under the names that the engine gives them:
 *
 *     (start) ──► startsAt          a state leads on by `transition`, `default`, `choices`, `eventActions`,
 *        │                          `onError` and the `retry` rules of its actions
 *        └─ onError of the document
 *     P ─ P/branch ─ P/branch/State       a PARALLEL state is a zone, and so is each of its branches
 *
 * Each node and line knows where it stands in the document (`pointer`), so that a change needs no search. */
import type { Flow, FlowLine, FlowNode, NodeId } from '../flow';
import { keyMaker } from '../graph/read';
import { isList, isObject, type Json, type JsonObject, textOf } from '../json';
import { memo } from '../memo';
import { START_ID } from '../steps/read';
import { t } from '../../texts/serverless';
import { captionOfStart, captionOfState, sayChoice, sayCondition, sayEntry } from './say';

export const BRANCH = 'branch';
/** Words of the format may be in any case; the canvas has them in one. */
const typeOf = (raw: JsonObject) => textOf(raw['type']).toUpperCase();

export const objectsOf = (raw: JsonObject, name: string): readonly JsonObject[] => {
  const list = raw[name];
  return isList(list) ? list.filter(isObject) : [];
};

/** A place in which names of states count: the top level, or one branch. */
interface Scope {
  readonly prefix: string;
  readonly parent: NodeId | null;
  readonly owner: JsonObject;
  readonly pointer: string;
}

const DEPTH_MAX = 16;

function idIn({ prefix }: Scope, states: readonly JsonObject[], raw: JsonObject): NodeId {
  const name = textOf(raw['name']);
  const isAlone = states.filter((other) => other['name'] === raw['name']).length < 2;
  return prefix + (isAlone ? name : `${name}#${textOf(raw['id'])}`);
}

interface Found {
  readonly node: FlowNode;
  readonly scope: Scope;
}

const branchNode = (raw: JsonObject, id: NodeId, parent: NodeId, pointer: string): FlowNode => ({
  id,
  type: BRANCH,
  label: textOf(raw['name']),
  config: raw,
  parent,
  position: null,
  list: 'states',
  index: 0,
  raw,
  pointer,
  caption: raw['waitForCompletion'] === true ? t.isWaitedFor : '',
});

function collect(scope: Scope, depth: number): readonly Found[] {
  const states = objectsOf(scope.owner, 'states');
  return states.flatMap((raw, index): readonly Found[] => {
    const id = idIn(scope, states, raw);
    const pointer = `${scope.pointer}/states/${index}`;
    const type = typeOf(raw);
    const node: FlowNode = {
      id,
      type,
      label: textOf(raw['name']),
      config: raw,
      parent: scope.parent,
      position: null,
      list: 'states',
      index,
      raw,
      pointer,
      caption: captionOfState(raw, type),
    };
    if (type !== 'PARALLEL' || depth >= DEPTH_MAX) return [{ node, scope }];
    const branches = objectsOf(raw, 'branches').flatMap((branch, at): readonly Found[] => {
      const inner = `${id}/${textOf(branch['name'])}`;
      const below = `${pointer}/branches/${at}`;
      return [
        { node: branchNode(branch, inner, id, below), scope },
        ...collect({ prefix: `${inner}/`, parent: inner, owner: branch, pointer: below }, depth + 1),
      ];
    });
    return [{ node, scope }, ...branches];
  });
}

const foundOf = memo((flow): readonly Found[] =>
  collect({ prefix: '', parent: null, owner: flow, pointer: '' }, 0),
);

export const stateNodes = memo((flow): readonly FlowNode[] => [
  {
    id: START_ID,
    type: 'start',
    label: '',
    config: {},
    parent: null,
    position: null,
    list: 'start',
    index: -1,
    raw: {},
    pointer: '',
    caption: captionOfStart(flow),
  },
  ...foundOf(flow).map(({ node }) => node),
]);

const nodeMap = memo(
  (flow): ReadonlyMap<NodeId, FlowNode> => new Map(stateNodes(flow).map((node) => [node.id, node])),
);
export const findState = (flow: Flow, id: NodeId): FlowNode | undefined => nodeMap(flow).get(id);

/** The name by which a transition leads to a state. */
export const targetName = (raw: JsonObject): string => textOf(raw['id']) || textOf(raw['name']);

/** A transition is a name, or an object with one. */
export function targetOf(value: Json | undefined): string {
  if (isObject(value)) return textOf(value['nextState']) || textOf(value['stateName']);
  return textOf(value);
}

interface Way {
  readonly port: string;
  readonly value: Json | undefined;
  readonly pointer: string;
  readonly label: string;
  readonly isEntry?: boolean;
}

const handlers = (raw: JsonObject, pointer: string, say: (condition: string) => string) =>
  objectsOf(raw, 'onError').map((handler, at): Way => ({
    port: `error:${at}`,
    value: handler['transition'],
    pointer: `${pointer}/onError/${at}/transition`,
    label: say(sayCondition(handler['condition'])),
  }));

/* Ways that the retry rules of actions take when they are used up. */
function retries(owner: JsonObject, pointer: string, port: string): readonly Way[] {
  return objectsOf(owner, 'actions').flatMap((action, at) =>
    objectsOf(action, 'retry').map((rule, number): Way => ({
      port: `${port}:${at}:${number}`,
      value: rule['transition'],
      pointer: `${pointer}/actions/${at}/retry/${number}/transition`,
      label: t.whenTriesAreUsedUp,
    })),
  );
}

function waysOf({ raw, type, pointer }: FlowNode): readonly Way[] {
  const choices = objectsOf(raw, 'choices').map((choice, at): Way => ({
    port: `choice:${at}`,
    value: choice['transition'],
    pointer: `${pointer ?? ''}/choices/${at}/transition`,
    label: sayChoice(choice),
  }));
  const entries = objectsOf(raw, 'eventActions').flatMap((entry, at): readonly Way[] => [
    {
      port: `event:${at}`,
      value: entry['transition'],
      pointer: `${pointer ?? ''}/eventActions/${at}/transition`,
      label: sayEntry(entry),
    },
    ...retries(entry, `${pointer ?? ''}/eventActions/${at}`, `retry:${at}`),
  ]);
  const isEnd = raw['end'] === true;
  const usual = type === 'SWITCH' ? 'default' : 'transition';
  // `end` takes precedence over where the state would go on; a choice that holds is followed all the same.
  const next: readonly Way[] =
    isEnd && usual === 'transition'
      ? []
      : [
          {
            port: 'out',
            value: raw[usual],
            pointer: `${pointer ?? ''}/${usual}`,
            label:
              usual === 'default' ? t.otherwise : sayCondition(isObject(raw[usual]) ? raw[usual] : undefined),
          },
        ];
  return [
    ...choices,
    ...entries,
    ...next,
    ...retries(raw, pointer ?? '', 'retry'),
    ...handlers(raw, pointer ?? '', t.ifItFailsWith),
  ];
}

const startWays = (flow: Flow): readonly Way[] => [
  { port: 'out', value: flow['startsAt'], pointer: '/startsAt', label: '', isEntry: true },
  ...handlers(flow, '', t.ifAnythingFailsWith),
];

export const stateLines = memo((flow): readonly FlowLine[] => {
  const keyFor = keyMaker();
  const scopes = new Map<NodeId | null, Map<string, NodeId>>();
  // Ids take precedence over names, and both count in their own scope only.
  for (const name of ['id', 'name'])
    for (const { node } of foundOf(flow)) {
      if (node.type === BRANCH) continue;
      const names = scopes.get(node.parent) ?? new Map<string, NodeId>();
      scopes.set(node.parent, names);
      const word = textOf(node.raw[name]);
      if (word !== '' && !names.has(word)) names.set(word, node.id);
    }
  const line = (from: NodeId, scope: NodeId | null, way: Way, order: number): FlowLine[] => {
    const to = scopes.get(scope)?.get(targetOf(way.value));
    if (to === undefined) return [];
    return [
      {
        key: keyFor(`${from}:${way.port}>${to}`),
        from,
        to,
        port: way.port,
        condition: undefined,
        isDefault: false,
        label: way.label,
        order,
        index: order,
        pointer: way.pointer,
        ...(way.isEntry === true ? { slot: { kind: 'entry' as const } } : {}),
      },
    ];
  };
  const inside = foundOf(flow).flatMap(({ node }) => {
    if (node.type !== BRANCH)
      return waysOf(node).flatMap((way, order) => line(node.id, node.parent, way, order));
    const pointer = `${node.pointer ?? ''}/startsAt`;
    const entry: Way = { port: 'body', value: node.raw['startsAt'], pointer, label: '', isEntry: true };
    return line(node.id, node.id, entry, 0);
  });
  return [...startWays(flow).flatMap((way, order) => line(START_ID, null, way, order)), ...inside];
});

/** Why the canvas cannot show a document of this format; null: it can. */
export function whyNoStates(flow: Flow): string | null {
  if (!isList(flow['states']) || !flow['states'].every(isObject)) return t.statesIsNoList;
  const seen = new Set<string>();
  for (const { id, type, label, raw } of stateNodes(flow)) {
    if (id === START_ID) continue;
    if (label === '' || type === '') return t.aStateHasNoName;
    if (seen.has(id)) return t.twoStatesAreCalled(label);
    seen.add(id);
    for (const name of ['choices', 'eventActions', 'actions', 'branches', 'onError', 'states'])
      if (raw[name] !== undefined && !(isList(raw[name]) && raw[name].every(isObject)))
        return t.isNoListOfObjects(name, label);
  }
  return null;
}
