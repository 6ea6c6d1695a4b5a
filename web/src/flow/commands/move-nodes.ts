/* flow/commands/move-nodes.ts — puts steps somewhere else. The first move of a flow without places gives each step one, or
 * the others would jump. A loop takes what is in it along. */
import type { Handler } from '../command';
import { setMemberOf } from '../edit';
import { findNode, type Flow, insideOf, nameOf, type NodeId, nodesOf, type Point } from '../flow';
import { hasPlaces, placesOf } from '../layout';

function withPlaces(flow: Flow): Flow {
  if (hasPlaces(flow)) return flow;
  let next = flow;
  for (const [id, { x, y }] of placesOf(flow)) {
    const node = findNode(next, id);
    if (node !== undefined) next = setMemberOf(next, node, 'position', { x, y });
  }
  return next;
}

function put(flow: Flow, id: NodeId, { x, y }: Point): Flow {
  const node = findNode(flow, id);
  if (node === undefined || (node.position?.x === x && node.position.y === y)) return flow;
  return setMemberOf(flow, node, 'position', { x, y });
}

export const moveNodes: Handler<'moveNodes'> = {
  says: (flow, { moves, tidy }) =>
    tidy === true
      ? 'Tidied up'
      : moves.length === 1
        ? `Moved ${nameOf(flow, moves[0]?.id ?? '')}`
        : `Moved ${moves.length} steps`,
  refuses: (flow, { moves }) =>
    moves.some((move) => findNode(flow, move.id) !== undefined) ? null : 'There is nothing to move',
  apply: (flow, { moves, tidy }) => {
    const before = placesOf(flow);
    const named = new Set(moves.map((move) => move.id));
    let next = withPlaces(flow);
    for (const move of moves) {
      next = put(next, move.id, move);
      const old = before.get(move.id);
      if (old === undefined || tidy === true) continue;
      for (const node of insideOf(flow, move.id)) {
        const rect = before.get(node.id);
        if (rect === undefined || named.has(node.id)) continue;
        next = put(next, node.id, { x: rect.x + move.x - old.x, y: rect.y + move.y - old.y });
      }
    }
    const old = nodesOf(flow);
    const isSame = nodesOf(next).every(
      ({ position }, i) => position?.x === old[i]?.position?.x && position?.y === old[i]?.position?.y,
    );
    return isSame ? flow : next;
  },
};
