/* flow/walk.ts — what is beside a step, for the arrow keys: on along the line, back, and to the other ways. Canvas and outline
 * ask the same question. */
import { childrenOf, findNode, type Flow, linesFrom, linesTo, type NodeId, nodesOf } from './flow';
import { numbersOf } from './outline';

export type Direction = 'next' | 'before' | 'up' | 'down';

function siblings(flow: Flow, id: NodeId): readonly NodeId[] {
  const from = linesTo(flow, id)[0]?.from;
  if (from !== undefined) return [...new Set(linesFrom(flow, from).map((line) => line.to))];
  return nodesOf(flow)
    .filter((node) => linesTo(flow, node.id).length === 0)
    .map((node) => node.id);
}

/** The step in that direction; null: there is none. */
export function walk(flow: Flow, id: NodeId, direction: Direction): NodeId | null {
  const numbers = numbersOf(flow);
  const at = (node: NodeId) => numbers.get(node) ?? 0;
  switch (direction) {
    case 'next': {
      const line = linesFrom(flow, id)[0];
      const next = line?.to ?? childrenOf(flow, id)[0]?.id;
      return next !== undefined && findNode(flow, next) !== undefined ? next : null;
    }
    case 'before': {
      const from = [...new Set(linesTo(flow, id).map((line) => line.from))].sort((a, b) => at(a) - at(b))[0];
      return from ?? findNode(flow, id)?.parent ?? null;
    }
    case 'up':
    case 'down': {
      const list = siblings(flow, id);
      const next = list[list.indexOf(id) + (direction === 'down' ? 1 : -1)];
      return next ?? null;
    }
  }
}
