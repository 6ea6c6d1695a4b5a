/* flow/commands/answer-lines.ts — lines for the answers of a person. The first answer goes on; the others end, until their author says
 * otherwise: an answer never goes on by itself. */
import { answersOf, answerLines, openAnswers } from '../answers';
import { addLines, addNodes, removeNodes } from '../edit';
import {
  findNode,
  type Flow,
  type FlowNode,
  isEndType,
  linesTo,
  type NodeId,
  nodesOf,
  usualPort,
} from '../flow';
import { freePlace, hasPlaces, placesOf } from '../layout';
import { newId } from '../new-id';
import { t } from '../../texts/flow';

const GAP = 48;

/* An end that the step leads to already, or a new one beside it. */
function endFor(flow: Flow, node: FlowNode, highest: number): { readonly flow: Flow; readonly end: NodeId } {
  const old = answerLines(flow, node).find((line) => isEndType(findNode(flow, line.to)?.type ?? ''));
  if (old !== undefined) return { flow, end: old.to };
  const end = newId('end', highest + 1);
  const rects = placesOf(flow);
  const near = rects.get(node.id);
  const position =
    near === undefined || !hasPlaces(flow)
      ? null
      : freePlace(rects.values(), { x: near.x + near.width + GAP, y: near.y + near.height + GAP }, 'end');
  const added = { id: end, type: 'end', label: t.end, config: {}, parent: node.parent, position };
  return { flow: addNodes(flow, [added]), end };
}

/** Gives each answer that has no line one to an end. */
export function completeAnswers(flow: Flow, id: NodeId, highest: number): Flow {
  const node = findNode(flow, id);
  const open = node === undefined ? [] : openAnswers(flow, node);
  if (node === undefined || open.length === 0) return flow;
  const { flow: next, end } = endFor(flow, node, highest);
  return addLines(
    next,
    open.map((port) => ({ from: id, port, to: end })),
  );
}

/** Lets a new step go on to another; null: to none. */
export function leadOn(flow: Flow, id: NodeId, to: NodeId | null, highest: number): Flow {
  const node = findNode(flow, id);
  if (node === undefined) return flow;
  const [first] = answersOf(node);
  const next = to === null ? flow : addLines(flow, [{ from: id, port: first ?? usualPort(node.type), to }]);
  return completeAnswers(next, id, highest);
}

/** Takes away plain ends that a change has left without any line to them; one end stays. */
export function withoutLostEnds(before: Flow, after: Flow): Flow {
  const ends = nodesOf(after).filter((node) => node.type === 'end');
  const lost = ends.filter(
    ({ id, config }) =>
      Object.keys(config).length === 0 && linesTo(before, id).length > 0 && linesTo(after, id).length === 0,
  );
  return lost.length === 0 || lost.length === ends.length
    ? after
    : removeNodes(after, new Set(lost.map((node) => node.id)));
}
