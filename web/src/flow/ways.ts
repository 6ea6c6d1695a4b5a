/* flow/ways.ts — the way of each line between boxes: down, across, down; back ways and ways round a box by the side. Lines between the
 * same two boxes go side by side, and a line for a deadline or an error never runs along one of another meaning. Points are corners; the
 * view rounds them. The canvas and the engine's pictures of placed flows have their lines from here.
 *
 * Not here: where boxes stand (layout.ts), and where the name of a line and its plus stand (marks.ts). */
import { type Boxes, createBoxes } from './boxes';
import type { LineKey, NodeId, Point } from './flow';
import type { Rect } from './layout';
import type { Pieces } from './pieces';

export interface Route {
  readonly points: readonly Point[];
  readonly isBack: boolean;
}

export type Meaning = 'usual' | 'timer' | 'error';

/** A line joins two boxes. */
export interface Joint {
  readonly key: LineKey;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly meaning: Meaning;
  /** From a loop to the first step inside. */
  readonly isBody: boolean;
}

const STUB = 20;
const LANE = 28;
/** Between stretches across that leave one step. */
const STAGGER = 12;
const LEVELS_MAX = 3;
/** Between two lines that join the same steps, at most. */
const APART = 112;
const APART_ACROSS = 24;
/** Steps whose middles differ by no more are below each other. */
const NUDGE = 48;

/** So many lines are laid without looking at the clock. */
const PIECE = 64;

const centre = (rect: Rect) => rect.x + rect.width / 2;
const bottom = (rect: Rect) => rect.y + rect.height;

/** Which of the lines between two steps it is. */
interface Turn {
  readonly at: number;
  readonly of: number;
}
const ALONE: Turn = { at: 0, of: 1 };

const shift = ({ at, of }: Turn, by: number) => (at - (of - 1) / 2) * by;

interface Around {
  readonly boxes: Boxes;
  /** Steps that do not stand in the way: the ends of the line and the zone round them. */
  readonly except: readonly (Rect | undefined)[];
}

/* Whether a vertical stretch is free of steps. */
function isClear({ boxes, except }: Around, x: number, top: number, end: number): boolean {
  return end <= top || !boxes.hits({ x: x - 8, y: top, width: 16, height: end - top }, except);
}

/* Which meaning of the lines at its two ends it has: 0 stands in the middle. */
interface Share {
  readonly leaves: number;
  readonly comes: number;
}

function forward(
  around: Around,
  from: Rect,
  to: Rect,
  turn: Turn,
  level: number,
  share: Share,
): readonly Point[] {
  const width = Math.min(from.width, to.width) - 2 * LANE;
  const apart = shift(turn, Math.min(APART, width / Math.max(1, turn.of - 1)));
  const isBelow = Math.abs(centre(to) - centre(from)) < 1;
  // Lines with the same ends are apart already.
  const beside = (at: number) => (turn.of === 1 ? at * APART_ACROSS : 0);
  const a = centre(from) + (isBelow ? apart : shift(turn, APART_ACROSS)) + beside(share.leaves);
  const b = centre(to) + apart + beside(share.comes);
  const start = { x: a, y: bottom(from) };
  const end = { x: b, y: to.y };
  // Boxes of different widths that are set flush left, or a hand's breadth apart: a straight line, not a small step aside.
  const straight = share.leaves > share.comes ? a : b;
  if (Math.abs(a - b) <= NUDGE && turn.of === 1 && isClear(around, straight, start.y + 1, end.y - 1))
    return [
      { x: straight, y: start.y },
      { x: straight, y: end.y },
    ];
  if (Math.abs(a - b) < 1 && isClear(around, a, start.y + 1, end.y - 1)) return [start, end];
  // Among lines that go to the right the rightmost turns first, or they would cross.
  const nth = b > a ? turn.of - 1 - turn.at : turn.at;
  const stub = Math.min(STUB + (nth + level) * STAGGER, Math.max(STUB, end.y - start.y - STUB));
  const early = start.y + stub;
  const late = Math.max(early, end.y - STUB - (turn.of - 1 - nth + share.comes) * STAGGER);
  if (Math.abs(a - b) >= 1 && isClear(around, b, early, end.y - 1))
    return [start, { x: a, y: early }, { x: b, y: early }, end];
  if (Math.abs(a - b) >= 1 && isClear(around, a, start.y + 1, late))
    return [start, { x: a, y: late }, { x: b, y: late }, end];
  const right = Math.max(from.x + from.width, to.x + to.width) + LANE * (turn.at + 1);
  return [start, { x: a, y: early }, { x: right, y: early }, { x: right, y: late }, { x: b, y: late }, end];
}

/* Side by side: from edge to edge. */
function across(from: Rect, to: Rect, turn: Turn): readonly Point[] {
  const isRight = centre(to) > centre(from);
  const top = Math.max(from.y, to.y);
  const room = Math.min(bottom(from), bottom(to)) - top;
  const y = top + room / 2 + shift(turn, Math.min(APART_ACROSS, room / turn.of));
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

type Shape = 'body' | 'forward' | 'across' | 'back';

function shapeOf(line: Joint, from: Rect, to: Rect): Shape {
  if (line.isBody) return 'body';
  if (to.y >= bottom(from) + 8) return 'forward';
  const areBeside =
    from.y < bottom(to) && to.y < bottom(from) && (to.x >= from.x + from.width || from.x >= to.x + to.width);
  return areBeside && line.from !== line.to ? 'across' : 'back';
}

interface Laid {
  readonly line: Joint;
  readonly from: Rect;
  readonly to: Rect;
  readonly shape: Shape;
  /** Lines with the same ends and shape take turns. */
  readonly pair: string;
}

function lay(lines: readonly Joint[], places: ReadonlyMap<NodeId, Rect>): readonly Laid[] {
  return lines.flatMap((line): Laid[] => {
    const [from, to] = [places.get(line.from), places.get(line.to)];
    if (from === undefined || to === undefined) return [];
    const shape = shapeOf(line, from, to);
    const ends = shape === 'across' ? [line.from, line.to].sort() : [line.from, line.to];
    return [{ line, from, to, shape, pair: JSON.stringify([shape, ...ends]) }];
  });
}

/* Among the lines that leave a step to one side, the one to the farthest step turns first, or it would run along the others. */
function levelsOf(laid: readonly Laid[]): ReadonlyMap<LineKey, number> {
  const sides = new Map<string, Laid[]>();
  for (const each of laid) {
    const by = centre(each.to) - centre(each.from);
    if (each.shape !== 'forward' || Math.abs(by) <= NUDGE) continue;
    const side = JSON.stringify([each.line.from, by > 0]);
    const list = sides.get(side);
    if (list === undefined) sides.set(side, [each]);
    else list.push(each);
  }
  const levels = new Map<LineKey, number>();
  for (const list of sides.values()) {
    const far = ({ from, to }: Laid) => Math.abs(centre(to) - centre(from));
    const distances = [...new Set(list.map(far))].sort((a, b) => b - a);
    for (const each of list)
      levels.set(each.line.key, Math.min(LEVELS_MAX - 1, distances.indexOf(far(each))));
  }
  return levels;
}

const MEANINGS: readonly Meaning[] = ['usual', 'timer', 'error'];

/* The meanings of the lines at each end that go down; the first one has the middle of the box, the others stand beside it. */
function sharesOf(laid: readonly Laid[], end: 'from' | 'to'): (each: Laid) => number {
  const found = new Map<NodeId, Set<Meaning>>();
  for (const { line, shape } of laid) {
    if (shape !== 'forward') continue;
    const meanings = found.get(line[end]) ?? new Set();
    found.set(line[end], meanings.add(line.meaning));
  }
  return ({ line }) =>
    MEANINGS.filter((each) => found.get(line[end])?.has(each) === true).indexOf(line.meaning);
}

/** The way of each line, by its key; `zones` are the boxes round boxes, which do not stand in the way of their lines. */
export function* waysOf(
  lines: readonly Joint[],
  places: ReadonlyMap<NodeId, Rect>,
  zones: ReadonlyMap<NodeId, Rect>,
): Pieces<ReadonlyMap<LineKey, Route>> {
  const boxes = createBoxes(places.values());
  const found = new Map<LineKey, Route>();
  const laid = lay(lines, places);
  const counts = new Map<string, number>();
  for (const { pair } of laid) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  const turns = new Map<string, number>();
  const levels = levelsOf(laid);
  const [leaves, comes] = [sharesOf(laid, 'from'), sharesOf(laid, 'to')];
  let lane = 0;
  yield;
  for (const each of laid) {
    if (found.size % PIECE === 0) yield;
    const { line, from, to, shape, pair } = each;
    const of = counts.get(pair) ?? 1;
    const at = turns.get(pair) ?? 0;
    turns.set(pair, at + 1);
    const turn = of === 1 ? ALONE : { at, of };
    const put = (points: readonly Point[]) => found.set(line.key, { points, isBack: shape === 'back' });
    switch (shape) {
      case 'body':
        put(body(from, to));
        break;
      case 'forward': {
        const around = { boxes, except: [from, to, zones.get(line.from)] };
        const share = { leaves: leaves(each), comes: comes(each) };
        put(forward(around, from, to, turn, levels.get(line.key) ?? 0, share));
        break;
      }
      case 'across':
        put(across(from, to, turn));
        break;
      case 'back':
        put(backward(from, to, lane++ % 4));
        break;
    }
  }
  return found;
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
