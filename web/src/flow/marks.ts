/* flow/marks.ts — where the name of a line stands, and where its plus: on the line itself, on no step, on no other name, and
 * rather where the line is alone than where it runs together with others.
 *
 * Every line proposes places along its stretches; names choose first, those with little room before the others. A plus that finds no
 * place is left out: the line's popover and the key `a` add a step, too. */
import { type Boxes, createBoxes } from './boxes';
import {
  findNode,
  type Flow,
  type FlowLine,
  type LineKey,
  linesFrom,
  linesOf,
  linesTo,
  type Point,
  roleOf,
} from './flow';
import { placesOf, type Rect } from './layout';
import { atOnce, type Pieces } from './pieces';
import { routesInPieces } from './route';
import type { Route } from './ways';

export interface Marks {
  readonly label: Point;
  /** Wider names are cut. */
  readonly width: number;
  readonly plus: Point | null;
}

const LETTER = 6.2;
const LABEL_PAD = 16;
const LABEL_HEIGHT = 20;
const LABEL_MAX = 208;
const LABEL_MIN = 56;
/** The length that a name is cut to where another one stands beside it. */
const NARROW = 104;
const PLUS = 24;
const ZONE_HEAD = 44;
/** A line that shares its way with more others than this is not compared with all of them. */
const SIBLINGS_MAX = 48;
/** The cost of a stand on a stretch that another line goes along, and on something else. */
const SHARED_COST = 20;
const COVER_COST = 1000;
/** So many lines are done without looking at the clock. */
const PIECE = 16;

interface Stretch {
  readonly a: Point;
  readonly b: Point;
  readonly length: number;
  readonly isDown: boolean;
}

function stretchesOf({ points }: Route): readonly Stretch[] {
  return points.slice(1).flatMap((b, i): Stretch[] => {
    const a = points[i];
    if (a === undefined) return [];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    return [{ a, b, length, isDown: Math.abs(a.x - b.x) < Math.abs(a.y - b.y) }];
  });
}

const along = ({ a, b, length }: Stretch, by: number): Point => ({
  x: a.x + ((b.x - a.x) * by) / (length || 1),
  y: a.y + ((b.y - a.y) * by) / (length || 1),
});

const boxAt = ({ x, y }: Point, width: number, height: number): Rect => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

interface Spot {
  readonly at: Point;
  readonly width: number;
  readonly cost: number;
}

/* Across: in the middle, then towards the ends. Down: near the start if there is room for a plus below, else in the middle. */
function labelSpots(stretches: readonly Stretch[], wanted: number): readonly Spot[] {
  const spots: Spot[] = [];
  for (const stretch of stretches) {
    const { length, isDown } = stretch;
    if (isDown) {
      if (length < 28) continue;
      const offsets = length >= 72 ? [18, length / 2, length - 22] : [length / 2, 12, length - 12];
      // The longer, the more of it is the line's own.
      const cost = 4 - Math.min(2, length / 200);
      offsets.forEach((by, i) => {
        spots.push({ at: along(stretch, by), width: wanted, cost: cost + i });
        if (wanted > NARROW) spots.push({ at: along(stretch, by), width: NARROW, cost: cost + i + 4 });
      });
    } else {
      const room = length - 24;
      // A short name stands on a short line: better without the plus than below it.
      if (room < LABEL_MIN && length - 8 < wanted) continue;
      const width = Math.min(wanted, Math.max(room, LABEL_MIN));
      const cut = width < wanted ? 2 + (wanted - width) / 20 : 0;
      const ends = [0.5, 0.35, 0.65, 0.2, 0.8].map((share) =>
        Math.max(Math.min(width / 2 + 8, length / 2), Math.min(length - width / 2 - 8, length * share)),
      );
      ends.forEach((by, i) => spots.push({ at: along(stretch, by), width, cost: i + cut }));
    }
  }
  return spots;
}

function plusSpots(stretches: readonly Stretch[], hasLabel: boolean): readonly Spot[] {
  return [...stretches]
    .filter(({ length }) => length >= 32)
    .sort((a, b) => b.length - a.length)
    .flatMap((stretch, nth) => {
      const { length } = stretch;
      const offsets = hasLabel
        ? [length - 24, length / 2, 20, length * 0.75, length * 0.25]
        : [length / 2, length - 24, 20, length * 0.75, length * 0.25];
      return offsets
        .filter((by) => by >= 16 && by <= length - 16)
        .map((by, i) => ({ at: along(stretch, by), width: PLUS, cost: nth * 3 + i }));
    });
}

function isOn({ x, y }: Point, stretches: readonly Stretch[]): boolean {
  return stretches.some(
    ({ a, b }) =>
      x > Math.min(a.x, b.x) - 6 &&
      x < Math.max(a.x, b.x) + 6 &&
      y > Math.min(a.y, b.y) - 6 &&
      y < Math.max(a.y, b.y) + 6,
  );
}

function best(
  spots: readonly Spot[],
  height: number,
  taken: readonly Boxes[],
  others: readonly (readonly Stretch[])[],
): (Spot & { readonly covers: number }) | null {
  let found: (Spot & { readonly covers: number }) | null = null;
  for (const spot of spots) {
    const box = boxAt(spot.at, spot.width, height);
    const covers = taken.reduce((sum, boxes) => sum + boxes.count(box), 0);
    const shared = others.reduce((sum, stretches) => sum + (isOn(spot.at, stretches) ? 1 : 0), 0);
    const cost = spot.cost + covers * COVER_COST + shared * SHARED_COST;
    if (found === null || cost < found.cost) found = { ...spot, cost, covers };
  }
  return found;
}

/* Signs of East Asia and pictures are about twice as wide. */
function widthOf(name: string): number {
  let letters = 0;
  for (const sign of name.slice(0, 80)) letters += (sign.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1;
  return Math.ceil(letters * LETTER) + LABEL_PAD;
}

/* A zone is in the way only with its head: names stand inside of it. */
function obstacles(flow: Flow): readonly Rect[] {
  return [...placesOf(flow)].map(([id, rect]) =>
    roleOf(findNode(flow, id)?.type ?? '') === 'loop' ? { ...rect, height: ZONE_HEAD } : rect,
  );
}

function siblingsOf(flow: Flow, line: FlowLine): readonly FlowLine[] {
  return [...linesFrom(flow, line.from), ...linesTo(flow, line.to)]
    .filter((other) => other.key !== line.key)
    .slice(0, SIBLINGS_MAX);
}

const middle = ({ points }: Route): Point => {
  const [a, b] = [points[0] ?? { x: 0, y: 0 }, points.at(-1) ?? { x: 0, y: 0 }];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
};

/** Name and plus of each line; `names` has what the lines are called. */
export const marksOf = (flow: Flow, names: ReadonlyMap<LineKey, string>): ReadonlyMap<LineKey, Marks> =>
  atOnce(marksInPieces(flow, names));

/** The same between frames. */
export function* marksInPieces(
  flow: Flow,
  names: ReadonlyMap<LineKey, string>,
): Pieces<ReadonlyMap<LineKey, Marks>> {
  const routes = yield* routesInPieces(flow);
  const known = new Map<LineKey, readonly Stretch[]>();
  const stretchesAt = (key: LineKey): readonly Stretch[] | undefined => {
    const route = routes.get(key);
    const kept = known.get(key);
    if (kept !== undefined || route === undefined) return kept;
    const made = stretchesOf(route);
    known.set(key, made);
    return made;
  };
  const othersOf = (line: FlowLine) =>
    siblingsOf(flow, line).flatMap(({ key }) => {
      const list = stretchesAt(key);
      return list === undefined ? [] : [list];
    });
  const steps = createBoxes(obstacles(flow));
  const labels = createBoxes();
  const pluses = createBoxes();
  const lines: { readonly line: FlowLine; readonly own: readonly Stretch[]; readonly length: number }[] = [];
  let done = 0;
  for (const line of linesOf(flow)) {
    if (++done % (PIECE * 16) === 0) yield;
    const own = stretchesAt(line.key);
    if (own !== undefined)
      lines.push({ line, own, length: own.reduce((sum, { length }) => sum + length, 0) });
  }
  lines.sort((a, b) => a.length - b.length);
  const placed = new Map<LineKey, { readonly at: Point; readonly width: number }>();
  for (const { line, own } of lines) {
    const name = names.get(line.key) ?? '';
    if (name === '') continue;
    if (++done % PIECE === 0) yield;
    const wanted = Math.min(LABEL_MAX, widthOf(name));
    const spot = best(labelSpots(own, wanted), LABEL_HEIGHT, [steps, labels], othersOf(line));
    if (spot === null) {
      // It has no place of its own and stands in the middle; at least no plus stands on it.
      const route = routes.get(line.key);
      if (route !== undefined) labels.add(boxAt(middle(route), wanted, LABEL_HEIGHT));
      continue;
    }
    labels.add(boxAt(spot.at, spot.width, LABEL_HEIGHT));
    placed.set(line.key, spot);
  }
  const marks = new Map<LineKey, Marks>();
  for (const { line, own } of lines) {
    const route = routes.get(line.key);
    if (route === undefined) continue;
    if (++done % PIECE === 0) yield;
    const label = placed.get(line.key);
    const spot = best(plusSpots(own, label !== undefined), PLUS, [steps, labels, pluses], othersOf(line));
    const isFree = spot !== null && spot.covers === 0;
    if (isFree) pluses.add(boxAt(spot.at, PLUS, PLUS));
    marks.set(line.key, {
      label: label?.at ?? middle(route),
      width: label?.width ?? LABEL_MAX,
      plus: isFree ? spot.at : null,
    });
  }
  return marks;
}
