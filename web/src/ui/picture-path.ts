/* ui/picture-path.ts — the way of an arrow as an SVG path. The engine gives points; corners are ours to make round. */
import type { Picture, PictureEdge, PictureNode } from '../api/pictures';

type Point = readonly [number, number];
const CORNER = 8;
/** Each side of a step is drawn so much further out than the engine says: it leaves no room for an icon, except where a document places its steps. */
const NODE_GROWS = 10;
export const growsOf = ({ isPlaced }: Picture): number => (isPlaced ? 0 : NODE_GROWS);
/** The engine writes tenths. */
const NEAR = 1.5;

const round = (value: number) => Number(value.toFixed(1));
const near = (a: number, b: number) => Math.abs(a - b) < NEAR;

/** An arrow of a document with places of its own is one straight line; the engine's own arrows end in the middle of an edge. */
function isStraight(edge: PictureEdge, to: PictureNode | undefined): boolean {
  const last = edge.points[edge.points.length - 1];
  if (edge.points.length !== 2 || to === undefined || last === undefined) return false;
  return !near(last[0] ?? 0, to.x + to.width / 2);
}

/** A point towards `to`, at most `distance` and half the way from `from`. */
function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const part = length === 0 ? 0 : Math.min(distance, length / 2) / length;
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}

/** An arrow that ends at the side of a step ends at the side as we draw it: wider than the engine thought, for the icon. */
function aside(points: Point[], to: PictureNode | undefined, grows: number): Point[] {
  const last = points[points.length - 1];
  if (last === undefined || to === undefined || last[1] < to.y || last[1] > to.y + to.height) return points;
  const by = last[0] <= to.x ? -grows : last[0] >= to.x + to.width ? grows : 0;
  return [...points.slice(0, -1), [last[0] + by, last[1]]];
}

const text = ([x, y]: Point) => `${round(x)} ${round(y)}`;

/** A slanted part is a bend that leaves and arrives upright; other parts are lines with round corners between them. */
export function pathOf(edge: PictureEdge, to: PictureNode | undefined, grows = NODE_GROWS): string {
  const points = aside(
    edge.points.map((point): Point => [point[0] ?? 0, point[1] ?? 0]),
    to,
    grows,
  );
  const first = points[0];
  if (first === undefined) return '';
  const straight = isStraight(edge, to);
  const isBend = (a: Point, b: Point) => !straight && !near(a[0], b[0]) && !near(a[1], b[1]);
  let path = `M${text(first)}`;
  for (let index = 1; index < points.length; index++) {
    const [from, here, next] = [points[index - 1], points[index], points[index + 1]];
    if (from === undefined || here === undefined) break;
    if (isBend(from, here)) {
      const middle = (from[1] + here[1]) / 2;
      path += `C${text([from[0], middle])} ${text([here[0], middle])} ${text(here)}`;
      continue;
    }
    const turns = next !== undefined && !isBend(here, next) && !straight;
    if (turns)
      path += `L${text(towards(here, from, CORNER))}Q${text(here)} ${text(towards(here, next, CORNER))}`;
    else path += `L${text(here)}`;
  }
  return path;
}
