/* ui/picture-ways.ts — the lines of a picture whose steps stand where their document puts them: they go as on the canvas of the builder.
 * The engine's own lines are the shortest ways, which run along each other. Pictures of families that the canvas does not edit stay as the
 * engine has laid them out. */
import type { Picture, PictureEdge } from '../api/pictures';
import type { Point } from '../flow/flow';
import type { Rect } from '../flow/layout';
import { atOnce } from '../flow/pieces';
import { type Joint, type Route, waysOf } from '../flow/ways';

const MARGIN = 16;

const jointOf = ({ id, from, to, kind }: PictureEdge): Joint => ({
  key: id,
  from,
  to,
  meaning: kind === 'timer' || kind === 'error' ? kind : 'usual',
  isBody: kind === 'inward',
});

/* The middle of the longest stretch; of equal ones, of the one across. */
function labelPlace(points: readonly Point[]): [number, number] {
  let [x, y, longest] = [points[0]?.x ?? 0, points[0]?.y ?? 0, -1];
  points.slice(1).forEach((b, i) => {
    const a = points[i] ?? b;
    const length = Math.hypot(b.x - a.x, b.y - a.y) + (a.y === b.y ? 1 : 0);
    if (length <= longest) return;
    [x, y, longest] = [(a.x + b.x) / 2, (a.y + b.y) / 2, length];
  });
  return [x, y];
}

function led(edge: PictureEdge, route: Route | undefined): PictureEdge {
  if (route === undefined) return edge;
  return {
    ...edge,
    points: route.points.map(({ x, y }) => [x, y]),
    labelAt: edge.labelAt === null ? null : labelPlace(route.points),
  };
}

/* A line that goes round a step may leave the picture. */
function widened(picture: Picture, edges: readonly PictureEdge[]): Picture {
  let [left, top] = [picture.left, picture.top];
  let [right, bottom] = [left + picture.width, top + picture.height];
  for (const [x = 0, y = 0] of edges.flatMap(({ points }) => points)) {
    left = Math.min(left, x - MARGIN);
    right = Math.max(right, x + MARGIN);
    top = Math.min(top, y - MARGIN);
    bottom = Math.max(bottom, y + MARGIN);
  }
  return { ...picture, edges: [...edges], left, top, width: right - left, height: bottom - top };
}

const known = new WeakMap<Picture, Picture>();

export function withWays(picture: Picture): Picture {
  if (!picture.isPlaced) return picture;
  const kept = known.get(picture);
  if (kept !== undefined) return kept;
  const places = new Map<string, Rect>(picture.nodes.map((node) => [node.id, node]));
  const zones = new Map<string, Rect>();
  for (const { id, zone } of picture.nodes) {
    const around = zone === null ? undefined : places.get(zone);
    if (around !== undefined) zones.set(id, around);
  }
  const ways = atOnce(waysOf(picture.edges.map(jointOf), places, zones));
  const made = widened(
    picture,
    picture.edges.map((edge) => led(edge, ways.get(edge.id))),
  );
  known.set(picture, made);
  return made;
}
