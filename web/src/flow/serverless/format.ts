/* flow/serverless/format.ts — how changes are written into a Serverless Workflow: each as a patch of the place where a state or a transition
 * stands. States have no places of their own; the canvas lays them out. Loaded only where there is such a document (pages/builder/states.ts). */
import type { Flow, FlowLine, FlowNode, NodeId } from '../flow';
import type { Format, LineChange, NewLine, NewNode } from '../format';
import { isObject, isSame, type Json, type JsonObject, textOf, withMember, withPath } from '../json';
import { applyPatch, type PatchOperation, readPointer } from '../patch';
import { START_ID } from '../steps/read';
import { t } from '../../texts/serverless';
import {
  BRANCH,
  findState,
  objectsOf,
  stateLines,
  stateNodes,
  targetName,
  targetOf,
  whyNoStates,
} from './read';
import { statesPalette, stateTypes } from './types';

/* A change that does not fit changes nothing. */
const patched = (flow: Flow, patch: readonly PatchOperation[]): Flow => applyPatch(flow, patch) ?? flow;

function put(flow: Flow, pointer: string, value: Json | undefined): Flow {
  if (value !== undefined) return patched(flow, [{ op: 'add', path: pointer, value }]);
  return readPointer(flow, pointer) === undefined ? flow : patched(flow, [{ op: 'remove', path: pointer }]);
}

const putState = (flow: Flow, { pointer = '' }: FlowNode, raw: JsonObject): Flow =>
  patched(flow, [{ op: 'replace', path: pointer, value: raw }]);

/** A transition keeps what else it says: its condition, its schedule. */
function withTarget(old: Json | undefined, pointer: string, name: string): Json {
  if (!isObject(old)) return name;
  return withMember(old, pointer === '/startsAt' ? 'stateName' : 'nextState', name);
}

function putTarget(flow: Flow, pointer: string, to: NodeId): Flow {
  const target = findState(flow, to);
  if (target === undefined) return flow;
  const value = withTarget(readPointer(flow, pointer), pointer, targetName(target.raw));
  // A member of a list is there already; a member of an object may be new.
  return put(flow, pointer, value);
}

/* ---- lines ---- */

function addUsual(flow: Flow, node: FlowNode, to: NodeId): Flow {
  const pointer = node.pointer ?? '';
  if (node.type === 'SWITCH') return putTarget(flow, `${pointer}/default`, to);
  if (node.type === 'EVENT') {
    const entries = objectsOf(node.raw, 'eventActions');
    const open = entries.findIndex((entry) => entry['transition'] === undefined);
    if (open >= 0)
      return putTarget(
        put(flow, `${pointer}/end`, undefined),
        `${pointer}/eventActions/${open}/transition`,
        to,
      );
  }
  return putTarget(put(flow, `${pointer}/end`, undefined), `${pointer}/transition`, to);
}

function addLine(flow: Flow, { from, port, to }: NewLine): Flow {
  const node = findState(flow, from);
  if (node === undefined) return flow;
  if (node.id === START_ID) return port === 'out' ? putTarget(flow, '/startsAt', to) : flow;
  if (node.type === BRANCH) return putTarget(flow, `${node.pointer ?? ''}/startsAt`, to);
  return port === 'out' ? addUsual(flow, node, to) : flow;
}

const numbersIn = (pointer: string) =>
  pointer.split('/').map((part) => (/^\d+$/.test(part) ? Number(part) : -1));

/** The last of a list in front, so that what is taken away moves nothing that still has to go. */
export function lastFirst(one: string, other: string): number {
  const [a, b] = [numbersIn(one), numbersIn(other)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (b[at] ?? -1) - (a[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return b.length - a.length;
}

/* A choice and a handler are nothing without where they lead; an event may come and end the flow. */
function withoutLine(flow: Flow, { from, port, pointer = '', slot }: FlowLine): Flow {
  const node = findState(flow, from);
  if (node === undefined || slot?.kind === 'entry') return flow;
  if (/^(choice|error):/.test(port)) return put(flow, pointer.slice(0, pointer.lastIndexOf('/')), undefined);
  const next = put(flow, pointer, undefined);
  if (node.type === 'SWITCH' || port.startsWith('retry:')) return next;
  const leadsOn = stateLines(next).some((line) => line.from === from && /^(out|event:.*)$/.test(line.port));
  return leadsOn ? next : put(next, `${node.pointer ?? ''}/end`, true);
}

const removeLines = (flow: Flow, lines: readonly FlowLine[]): Flow =>
  [...lines]
    .sort((one, other) => lastFirst(one.pointer ?? '', other.pointer ?? ''))
    .reduce((next, line) => withoutLine(next, line), flow);

function putLine(flow: Flow, line: FlowLine, { to }: LineChange): Flow {
  return to === undefined || line.pointer === undefined ? flow : putTarget(flow, line.pointer, to);
}

/* Only the choices of a SWITCH are asked in an order. */
function orderLines(flow: Flow, keys: readonly string[]): Flow {
  const lines = keys.flatMap((key) => stateLines(flow).find((line) => line.key === key) ?? []);
  const node = findState(flow, lines[0]?.from ?? '');
  if (node === undefined) return flow;
  const choices = objectsOf(node.raw, 'choices');
  const order = lines.flatMap(({ port }) => (port.startsWith('choice:') ? [Number(port.slice(7))] : []));
  const rest = choices.map((_, at) => at).filter((at) => !order.includes(at));
  const next = [...order, ...rest].flatMap((at): JsonObject[] => {
    const choice = choices[at];
    return choice === undefined ? [] : [choice];
  });
  return isSame(next, [...choices]) ? flow : putState(flow, node, { ...node.raw, choices: next });
}

/* ---- states ---- */

const plainBranch = (name: string): JsonObject => ({
  name,
  startsAt: t.doThis,
  waitForCompletion: true,
  states: [{ name: t.doThis, type: 'RELAY', inject: {}, end: true }],
});

function newState({ type, label, config }: NewNode): JsonObject {
  const named = { name: label, type };
  switch (type) {
    case 'OPERATION':
      return { ...named, actions: [], end: true, ...config };
    case 'DELAY':
      return { ...named, timeDelay: 'PT1H', end: true, ...config };
    case 'SWITCH':
      return { ...named, choices: [], ...config };
    case 'EVENT':
      return { ...named, eventActions: [{ condition: '', actions: [] }], end: true, ...config };
    case 'SUBFLOW':
      return { ...named, workflowId: '', waitForCompletion: true, end: true, ...config };
    case 'PARALLEL':
      return {
        ...named,
        branches: [plainBranch(t.firstBranch), plainBranch(t.secondBranch)],
        end: true,
        ...config,
      };
    default:
      return { ...named, inject: {}, end: true, ...config };
  }
}

function addNodes(flow: Flow, added: readonly NewNode[]): Flow {
  let next = flow;
  for (const node of added) {
    const parent = node.parent === null ? undefined : findState(next, node.parent);
    if (parent !== undefined && parent.type !== BRANCH) continue;
    next = put(next, `${parent?.pointer ?? ''}/states/-`, newState(node));
  }
  return next;
}

function removeNodes(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  const lines = stateLines(flow).filter((line) => ids.has(line.to) && !ids.has(line.from));
  let next = removeLines(flow, lines);
  const gone = stateNodes(flow)
    .filter((node) => ids.has(node.id) && node.list === 'states' && !ids.has(node.parent ?? ''))
    .map((node) => node.pointer ?? '')
    .sort(lastFirst);
  for (const pointer of gone) next = put(next, pointer, undefined);
  return next;
}

/* Everything that leads to a state by its name follows the name. */
function rename(flow: Flow, node: FlowNode, name: string): Flow {
  const isTaken = stateNodes(flow).some(
    (other) => other.parent === node.parent && other.id !== node.id && other.label === name,
  );
  if (name.trim() === '' || isTaken || node.list === 'start') return flow;
  const old = textOf(node.raw['name']);
  let next = flow;
  for (const { to, pointer = '' } of stateLines(flow)) {
    const value = readPointer(next, pointer);
    if (to === node.id && targetOf(value) === old && targetName(node.raw) === old)
      next = put(next, pointer, withTarget(value, pointer, name));
  }
  return put(next, `${node.pointer ?? ''}/name`, name);
}

function putMember(flow: Flow, node: FlowNode, name: string, value: Json | undefined): Flow {
  if (node.list === 'start' || name === 'position' || name === 'parent') return flow;
  if (name === 'label') return rename(flow, node, textOf(value));
  return put(flow, `${node.pointer ?? ''}/${name}`, value);
}

export const statesFormat: Format = {
  name: 'serverless',
  isPlaced: false,
  whyNot: whyNoStates,
  withId: (flow, id) => ({ ...flow, id }),
  nodes: stateNodes,
  lines: stateLines,
  putMember,
  putField: (flow, node, path, value) =>
    node.list === 'start' ? flow : putState(flow, node, withPath(node.raw, path, value)),
  addNodes,
  removeNodes,
  addLine,
  removeLines,
  putLine,
  orderLines,
  // States are known by their names, and a name may stand once: copies go through the text.
  paste: (flow) => flow,
  copy: () => ({}),
  newId: (label, parent) => (parent === null ? label : `${parent}/${label}`),
  types: stateTypes,
  palette: statesPalette,
};
