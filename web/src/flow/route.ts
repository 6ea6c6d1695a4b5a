/* flow/route.ts — the way of each line between steps: down, across, down; back ways and ways round a step by the side.
 * Points are corners; the view rounds them. */
import {
  type Flow,
  type FlowLine,
  type LineKey,
  linesOf,
  memo,
  type NodeId,
  nodesOf,
  type Point,
} from './flow';
import { placesOf, type Rect } from './layout';

export interface Route {
  readonly points: readonly Point[];
  readonly labelAt: Point;
  readonly isBack: boolean;
}

const STUB = 20;
const LANE = 28;

const centre = (rect: Rect) => rect.x + rect.width / 2;
const bottom = (rect: Rect) => rect.y + rect.height;

/* Whether a vertical stretch is free of steps. */
function isClear(rects: readonly Rect[], x: number, top: number, end: number): boolean {
  return !rects.some(
    (rect) => x > rect.x - 8 && x < rect.x + rect.width + 8 && rect.y < end && bottom(rect) > top,
  );
}

function forward(rects: readonly Rect[], from: Rect, to: Rect): readonly Point[] {
  const [a, b] = [centre(from), centre(to)];
  const start = { x: a, y: bottom(from) };
  const end = { x: b, y: to.y };
  if (Math.abs(a - b) < 1 && isClear(rects, a, start.y + 1, end.y - 1)) return [start, end];
  const early = start.y + STUB;
  const late = end.y - STUB;
  if (Math.abs(a - b) >= 1 && isClear(rects, b, early, end.y - 1))
    return [start, { x: a, y: early }, { x: b, y: early }, end];
  if (Math.abs(a - b) >= 1 && isClear(rects, a, start.y + 1, late))
    return [start, { x: a, y: late }, { x: b, y: late }, end];
  const right = Math.max(from.x + from.width, to.x + to.width) + LANE;
  return [start, { x: a, y: early }, { x: right, y: early }, { x: right, y: late }, { x: b, y: late }, end];
}

/* Side by side: from edge to edge. */
function across(from: Rect, to: Rect): readonly Point[] {
  const isRight = centre(to) > centre(from);
  const y = Math.max(from.y, to.y) + Math.min(from.height, to.height) / 2;
  return [
    { x: isRight ? from.x + from.width : from.x, y },
    { x: isRight ? to.x : to.x + to.width, y },
  ];
}

function backward(from: Rect, to: Rect, lane: number): readonly Point[] {
  const right = Math.max(from.x + from.width, to.x + to.width) + LANE + lane * 12;
  const y = from.y + from.height / 2;
  const end = to.y + to.height / 2 + 8;
  return [
    { x: from.x + from.width, y },
    { x: right, y },
    { x: right, y: end },
    { x: to.x + to.width, y: end },
  ];
}

function body(zone: Rect, first: Rect): readonly Point[] {
  return [
    { x: centre(first), y: zone.y + 44 },
    { x: centre(first), y: first.y },
  ];
}

/* The name of a line stands on its longest stretch that goes across, else in its middle. */
function labelOf(points: readonly Point[]): Point {
  const [, , top, end] = points;
  // A way round other steps is by itself only beside them.
  if (points.length === 6 && top !== undefined && end !== undefined)
    return { x: (top.x + end.x) / 2, y: (top.y + end.y) / 2 };
  let best: Point = points[0] ?? { x: 0, y: 0 };
  let longest = 0;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    if (a === undefined || b === undefined) continue;
    const length = Math.abs(a.x - b.x) * 1.5 + Math.abs(a.y - b.y);
    if (length <= longest) continue;
    longest = length;
    best = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }
  return best;
}

export function routeBetween(rects: readonly Rect[], line: FlowLine, from: Rect, to: Rect, lane = 0): Route {
  const make = (points: readonly Point[], isBack = false): Route => ({
    points,
    labelAt: labelOf(points),
    isBack,
  });
  if (line.port === 'body') return make(body(from, to));
  if (to.y >= bottom(from) + 8) return make(forward(rects, from, to));
  const areBeside =
    from.y < bottom(to) && to.y < bottom(from) && (to.x >= from.x + from.width || from.x >= to.x + to.width);
  if (areBeside && line.from !== line.to) return make(across(from, to));
  return make(backward(from, to, lane), true);
}

export const routesOf = memo((flow): ReadonlyMap<LineKey, Route> => {
  const places = placesOf(flow);
  const rects = [...places.values()];
  const routes = new Map<LineKey, Route>();
  const zones = zonesOver(flow, places);
  let lane = 0;
  for (const line of linesOf(flow)) {
    const from = places.get(line.from);
    const to = places.get(line.to);
    if (from === undefined || to === undefined) continue;
    const around = zones.get(line.from);
    const route = routeBetween(
      rects.filter((rect) => rect !== from && rect !== to && rect !== around),
      line,
      from,
      to,
      lane % 4,
    );
    if (route.isBack) lane++;
    routes.set(line.key, route);
  }
  return routes;
});

/* The zone that a step stands in does not stand in the way of its lines. */
function zonesOver(flow: Flow, places: ReadonlyMap<NodeId, Rect>): ReadonlyMap<NodeId, Rect> {
  const zones = new Map<NodeId, Rect>();
  for (const node of nodesOf(flow)) {
    const zone = node.parent === null ? undefined : places.get(node.parent);
    if (zone !== undefined) zones.set(node.id, zone);
  }
  return zones;
}

/** The path of an SVG through the corners, rounded. */
export function pathOf(points: readonly Point[], radius = 10): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${first.x} ${first.y}`;
  rest.forEach((point, i) => {
    const next = rest[i + 1];
    const before = i === 0 ? first : rest[i - 1];
    if (next === undefined || before === undefined) {
      path += `L${point.x} ${point.y}`;
      return;
    }
    const cut = (other: Point) => {
      const length = Math.hypot(other.x - point.x, other.y - point.y) || 1;
      const by = Math.min(radius, length / 2);
      return {
        x: point.x + ((other.x - point.x) * by) / length,
        y: point.y + ((other.y - point.y) * by) / length,
      };
    };
    const [a, b] = [cut(before), cut(next)];
    path += `L${a.x} ${a.y}Q${point.x} ${point.y} ${b.x} ${b.y}`;
  });
  return path;
}
