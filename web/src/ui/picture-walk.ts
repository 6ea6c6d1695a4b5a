/* ui/picture-walk.ts — which step is right of, left of, above or below another in a picture. */
import type { PictureNode } from '../api/pictures';

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

const middle = (node: PictureNode) => [node.x + node.width / 2, node.y + node.height / 2] as const;

/** The nearest step in the direction of an arrow key; what is beside the way counts more than what is far on it. */
export function nearestNode(
  nodes: readonly PictureNode[],
  from: PictureNode,
  key: string,
): PictureNode | null {
  const way = WAYS[key];
  if (way === undefined) return null;
  const [x, y] = middle(from);
  let best: PictureNode | null = null;
  let least = Infinity;
  for (const node of nodes) {
    if (node.id === from.id) continue;
    const [dx, dy] = [middle(node)[0] - x, middle(node)[1] - y];
    const ahead = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (ahead < 1 || aside > ahead * 4 + 40) continue;
    const cost = ahead + aside * 2;
    if (cost < least) [least, best] = [cost, node];
  }
  return best;
}
