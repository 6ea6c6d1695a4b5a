/* pages/entities/own-picture.ts — the engine's picture of a model's workflows, as this page shows it: without the built-in
 * workflow, which every model has, and with the names of transitions alone on the lines. */
import type { Picture, PictureEdge, PictureNode } from '../../api/pictures';

const MARGIN = 24;

/** The ids of the built-in workflow's states begin with its empty name. */
const isBuiltIn = (id: string) => id.startsWith('//');

/** "SHIP: $.paid EQUALS true" is "SHIP" for people. */
function shortLabel(label: string): string {
  return label
    .split('\n')
    .map((line) => /^(.*?): /.exec(line)?.[1] ?? line)
    .join('\n');
}

function boundsOf(nodes: readonly PictureNode[], edges: readonly PictureEdge[]) {
  const xs = [
    ...nodes.flatMap(({ x, width }) => [x, x + width]),
    ...edges.flatMap(({ points, labelAt }) => [
      ...points.map((point) => point[0] ?? 0),
      ...(labelAt === null ? [] : [(labelAt[0] ?? 0) - MARGIN, (labelAt[0] ?? 0) + MARGIN]),
    ]),
  ];
  const ys = [
    ...nodes.flatMap(({ y, height }) => [y, y + height]),
    ...edges.flatMap(({ points }) => points.map((point) => point[1] ?? 0)),
  ];
  const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN];
  return { left, top, width: Math.max(...xs) + MARGIN - left, height: Math.max(...ys) + MARGIN - top };
}

/** With `caption` for each state. A model without a workflow of its own keeps the built-in one. */
export function ownPicture(picture: Picture, caption: (state: string) => string): Picture {
  const own = picture.nodes.filter(({ id }) => !isBuiltIn(id));
  const kept = own.length === 0 ? picture.nodes : own;
  const ids = new Set(kept.map(({ id }) => id));
  const nodes = kept.map((node) => ({ ...node, caption: caption(node.title) }));
  const edges = picture.edges
    .filter(({ from, to }) => ids.has(from) && ids.has(to))
    .map((edge) => ({ ...edge, label: shortLabel(edge.label) }));
  if (nodes.length === 0) return picture;
  return { ...picture, ...boundsOf(nodes, edges), nodes, edges };
}
