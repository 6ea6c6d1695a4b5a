/* flow/commands/move-nodes.ts — puts steps somewhere else. The first move of a flow without places gives each step one, or
 * the others would jump. A loop takes what is in it along. */
import type { Handler } from '../command';
import { setMemberOf } from '../edit';
import { formatOf } from '../format';
import { findNode, insideOf, nameOf, type NodeId, nodesOf, type Point } from '../flow';
import { hasPlaces, placesOf } from '../layout';
import { t } from '../../texts/flow';

export const moveNodes: Handler<'moveNodes'> = {
  says: (flow, { moves, tidy }) =>
    tidy === true
      ? t.tidiedUp
      : moves.length === 1
        ? t.moved(nameOf(flow, moves[0]?.id ?? ''))
        : t.movedSteps(moves.length),
  refuses: (flow, { moves }) => {
    if (!formatOf(flow).isPlaced) return t.flowsOfThisKindStand;
    return moves.some((move) => findNode(flow, move.id) !== undefined) ? null : t.thereIsNothingToMove;
  },
  apply: (flow, { moves, tidy }) => {
    const before = placesOf(flow);
    const named = new Set(moves.map((move) => move.id));
    const places = new Map<NodeId, Point>(hasPlaces(flow) ? [] : before);
    for (const move of moves) {
      places.set(move.id, move);
      const old = before.get(move.id);
      if (old === undefined || tidy === true) continue;
      for (const node of insideOf(flow, move.id)) {
        const rect = before.get(node.id);
        if (rect === undefined || named.has(node.id)) continue;
        places.set(node.id, { x: rect.x + move.x - old.x, y: rect.y + move.y - old.y });
      }
    }
    let next = flow;
    for (const [id, { x, y }] of places) {
      const node = findNode(flow, id);
      if (node === undefined || (node.position?.x === x && node.position.y === y)) continue;
      next = setMemberOf(next, node, 'position', { x, y });
    }
    const old = nodesOf(flow);
    const isSame = nodesOf(next).every(
      ({ position }, i) => position?.x === old[i]?.position?.x && position?.y === old[i]?.position?.y,
    );
    return isSame ? flow : next;
  },
};
