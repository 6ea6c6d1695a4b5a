/* flow/commands/add-node.ts — adds a step on a line, behind a step, at a port, in a loop, or by itself, and connects it in the
 * way that is most often meant. Not here: which fields it has (GET /api/node-types). */
import type { Command, Handler, Place } from '../command';
import { answerLines, isRestPort, wayOn } from '../answers';
import { addLines, addNodes, putLine, setFieldOf, setMemberOf } from '../edit';
import {
  childrenOf,
  findLine,
  findNode,
  type Flow,
  type FlowLine,
  isEndType,
  isGateway,
  isStartType,
  linesFrom,
  type NodeId,
  nodesOf,
  type Point,
  roleOf,
  startsOf,
} from '../flow';
import { freePlace, hasPlaces, placesOf, type Rect, sizeOf } from '../layout';
import { formatOf } from '../format';
import { newId } from '../new-id';
import { t } from '../../texts/flow';
import { completeAnswers, leadOn } from './answer-lines';

type AddNode = Extract<Command, { kind: 'addNode' }>;
const ROW = 96;
/** Steps can be added inside of it: a PARALLEL state has only its branches inside. */
const canHold = (type: string | undefined) => roleOf(type ?? '') === 'loop' && type !== 'PARALLEL';

/* Where steps are known by their names, a new one has its name as its id. */
const idFor = (flow: Flow, { type, label }: AddNode, parent: NodeId | null, number: number): NodeId =>
  formatOf(flow).newId?.(label, parent) ?? newId(type, number);

/* A place behind a step becomes a line to put the step on, or a port to put it at. */
function resolve(flow: Flow, place: Place): Exclude<Place, { kind: 'after' | 'inside' }> {
  if (place.kind === 'after') {
    const node = findNode(flow, place.node);
    if (node === undefined || isEndType(node.type)) return { kind: 'loose', at: null };
    const port = wayOn(flow, node);
    const [line] = isGateway(node.type) ? [] : linesFrom(flow, node.id).filter((each) => each.port === port);
    return line === undefined ? { kind: 'port', node: node.id, port } : { kind: 'line', key: line.key };
  }
  if (place.kind === 'inside') {
    const last = childrenOf(flow, place.loop).find((node) => linesFrom(flow, node.id).length === 0);
    return last === undefined
      ? { kind: 'port', node: place.loop, port: 'body' }
      : { kind: 'port', node: last.id, port: wayOn(flow, last) };
  }
  if (place.kind === 'port') {
    const node = findNode(flow, place.node);
    const [line] = linesFrom(flow, place.node).filter((each) => each.port === place.port);
    if (line !== undefined && node !== undefined && !isGateway(node.type))
      return { kind: 'line', key: line.key };
  }
  return place;
}

/* Everything at or below a new row moves down, as far as it stands too near. */
function makeRoom(flow: Flow, from: Rect | undefined, to: Rect): Flow {
  const gap = from === undefined ? 48 : to.y - (from.y + from.height);
  const by = Math.max(0, ROW + 48 - gap);
  let next = flow;
  for (const { id, position } of nodesOf(flow)) {
    const node = position !== null && position.y >= to.y && by > 0 ? findNode(next, id) : undefined;
    if (node !== undefined && position !== null)
      next = setMemberOf(next, node, 'position', { x: position.x, y: position.y + by });
  }
  return next;
}

function placeOf(flow: Flow, type: string, near: Rect | undefined, below: boolean): Point | null {
  if (!hasPlaces(flow)) return null;
  const { width } = sizeOf(type);
  const x = near === undefined ? 0 : near.x + (near.width - width) / 2;
  const y = near === undefined ? 0 : below ? near.y + near.height + 48 : near.y;
  return freePlace(placesOf(flow).values(), { x, y }, type);
}

/* Where a new branch goes on: a reminder asks again, a way of a decision meets the usual way. */
function nextOf(flow: Flow, from: NodeId, port: string, type: string): NodeId | null {
  if (isEndType(type)) return null;
  const source = findNode(flow, from);
  if (source === undefined) return null;
  if (source.type === 'human_task' && port === 'timeout' && type !== 'human_task') return from;
  if (!isGateway(source.type)) return null;
  const others = linesFrom(flow, from);
  const usual = others.find((line) => line.isDefault) ?? others[0];
  if (usual === undefined) return null;
  if (roleOf(source.type) !== 'split') return usual.to;
  const meets = roleOf(findNode(flow, usual.to)?.type ?? '');
  return meets === 'split' || meets === 'join' ? usual.to : (linesFrom(flow, usual.to)[0]?.to ?? null);
}

function putOnLine(flow: Flow, command: AddNode, line: FlowLine, highest: number): Flow {
  const target = findNode(flow, line.to);
  const source = findNode(flow, line.from);
  const isInBody = line.port === 'body';
  const parent = isInBody ? line.from : (target?.parent ?? source?.parent ?? null);
  const id = idFor(flow, command, parent, highest + 1);
  const rects = placesOf(flow);
  const to = rects.get(line.to);
  const from = rects.get(line.from);
  const isFlat = !hasPlaces(flow) || to === undefined;
  const position = isFlat ? null : { x: to.x + (to.width - sizeOf(command.type).width) / 2, y: to.y };
  let next = isFlat || (from !== undefined && to.y <= from.y) ? flow : makeRoom(flow, from, to);
  const placed =
    isFlat || next !== flow ? position : freePlace(rects.values(), position ?? { x: 0, y: 0 }, command.type);
  next = addNodes(next, [
    { id, type: command.type, label: command.label, config: command.config, parent, position: placed },
  ]);
  next = putLine(next, line, { to: id });
  const role = roleOf(command.type);
  if (role === 'end') return next;
  if (role === 'split') {
    const type = command.type === 'parallel' ? 'parallel' : 'JOIN_GATEWAY';
    const join = newId(type, highest + 2);
    const at = placed === null ? null : { x: placed.x, y: placed.y + ROW };
    next = addNodes(next, [{ id: join, type, label: t.waitForAll, config: {}, parent, position: at }]);
    const split = findNode(next, id);
    if (split !== undefined && type === 'JOIN_GATEWAY') next = setFieldOf(next, split, ['joinStep'], join);
    return addLines(next, [
      { from: id, port: 'out', to: join },
      { from: join, port: 'out', to: line.to },
    ]);
  }
  if (role === 'choice') return addLines(next, [{ from: id, port: 'out', to: line.to, isDefault: true }]);
  return leadOn(next, id, line.to, highest + 1);
}

function putAtPort(flow: Flow, command: AddNode, from: NodeId, port: string, highest: number): Flow {
  const source = findNode(flow, from);
  const parent = port === 'body' ? from : (source?.parent ?? null);
  const id = idFor(flow, command, parent, highest + 1);
  const near = placesOf(flow).get(from);
  const inner = port === 'body' && near !== undefined ? { ...near, y: near.y + 8, height: 0 } : near;
  const position = placeOf(flow, command.type, inner, true);
  const onward = nextOf(flow, from, port, command.type);
  const isFirstWay = linesFrom(flow, from).length === 0;
  const isDefault =
    isRestPort(source, port) || (source !== undefined && roleOf(source.type) === 'choice' && isFirstWay);
  let next = addNodes(flow, [
    { id, type: command.type, label: command.label, config: command.config, parent, position },
  ]);
  next = addLines(next, [{ from, port, to: id, isDefault }]);
  // The last step of a loop needed no lines for its answers; now one goes on, and the others end.
  const wasLast = source !== undefined && port !== 'timeout' && answerLines(flow, source).length === 0;
  if (wasLast) next = completeAnswers(next, from, highest + 1);
  const isNear = onward !== null && findNode(next, onward)?.parent === findNode(next, id)?.parent;
  return leadOn(next, id, isNear ? onward : null, highest + 2);
}

/* A second start leads where the first one does. */
function putLoose(flow: Flow, command: AddNode, at: Point | null, highest: number): Flow {
  const id = idFor(flow, command, null, highest + 1);
  const last = nodesOf(flow).at(-1);
  const near = last === undefined ? undefined : placesOf(flow).get(last.id);
  const position = at ?? placeOf(flow, command.type, near, true);
  const first = startsOf(flow)
    .flatMap((start) => linesFrom(flow, start.id))
    .at(0);
  const next = addNodes(flow, [
    { id, type: command.type, label: command.label, config: command.config, parent: null, position },
  ]);
  if (!isStartType(command.type) || first === undefined) return next;
  return addLines(next, [{ from: id, port: 'out', to: first.to }]);
}

/* Lists name steps, so two steps never begin with the same name; ends are told apart by what leads to them. */
function freeLabel(flow: Flow, { type, label }: AddNode): string {
  const taken = new Set(nodesOf(flow).map((node) => node.label));
  if (isEndType(type) || !taken.has(label)) return label;
  for (let number = 2; ; number++) if (!taken.has(`${label} ${number}`)) return `${label} ${number}`;
}

export const addNode: Handler<'addNode'> = {
  says: (flow, command) => t.added(freeLabel(flow, command)),
  refuses: (flow, { place, type }) => {
    if (place.kind === 'line' && findLine(flow, place.key) === undefined) return t.thatLineIsNotThere;
    if (place.kind === 'inside' && !canHold(findNode(flow, place.loop)?.type)) return t.thatIsNoLoop;
    if ((place.kind === 'after' || place.kind === 'port') && findNode(flow, place.node) === undefined)
      return t.thatStepIsNotThere;
    if (place.kind === 'port' && isEndType(findNode(flow, place.node)?.type ?? ''))
      return t.nothingFollowsAnEnd;
    if (isStartType(type) && (place.kind === 'inside' || place.kind === 'port')) return t.aStartStands;
    return null;
  },
  apply: (flow, asked, highest) => {
    const command = { ...asked, label: freeLabel(flow, asked) };
    if (isStartType(command.type)) return putLoose(flow, command, null, highest);
    const place = resolve(flow, command.place);
    switch (place.kind) {
      case 'line': {
        const line = findLine(flow, place.key);
        return line === undefined ? flow : putOnLine(flow, command, line, highest);
      }
      case 'port':
        return putAtPort(flow, command, place.node, place.port, highest);
      case 'loose':
        return putLoose(flow, command, place.at, highest);
    }
  },
};
