/* flow/layout.ts — where steps stand. A step that has a place in the document stands there; the others are put into rows and
 * columns from top to bottom, branches to the right. `Tidy up` puts all of them there. Pages with the engine's picture of such a document
 * put its steps there, too (api/picture-places.ts): the engine's own layout is made for its smaller boxes.
 *
 *     start            column 0: the first way on from each step
 *       │
 *     decision ──┐     column 1: its second way, in the nearest column that is free in its rows
 *       │        │
 */
import {
  childrenOf,
  findNode,
  type Flow,
  type FlowLine,
  type FlowNode,
  isEndType,
  isStartType,
  linesFrom,
  linesTo,
  memo,
  type NodeId,
  nodesOf,
  type Point,
  roleOf,
} from './flow';
import { isErrorPort } from './roles';
import { isTimerPort } from './steps/read';

/** Every step has this width, so that steps that a document sets flush are below each other. The engine counts on it (program/draw/layout.c). */
export const NODE_WIDTH = 216;
export const GRID = 8;
const ROW_GAP = 48;
/** Below a step whose lines have names: room for a name and for a plus. */
const NAMED_GAP = 72;
const COLUMN_GAP = 72;
const ZONE_HEAD = 56;
const ZONE_PAD = 24;
/** Steps that overlap in so many places were placed for smaller boxes. */
const OVERLAP_SHARE = 0.25;

export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

export function sizeOf(type: string): { readonly width: number; readonly height: number } {
  if (isStartType(type)) return { width: NODE_WIDTH, height: 40 };
  if (isEndType(type)) return { width: NODE_WIDTH, height: 40 };
  return { width: NODE_WIDTH, height: 48 };
}

/* Ways that are taken when something did not happen stand to the right of the usual ones. */
function rankOfLine(line: FlowLine): number {
  if (isTimerPort(line.port) || isErrorPort(line.port)) return 2;
  return line.isDefault ? 1 : 0;
}

function ways(flow: Flow, id: NodeId): readonly FlowLine[] {
  return [...linesFrom(flow, id)].sort((a, b) => rankOfLine(a) - rankOfLine(b));
}

interface Tree {
  readonly rank: Map<NodeId, number>;
  readonly column: Map<NodeId, number>;
}

/* Ranks by longest way without the lines that go back; columns by the tree of first visits. No recursion: a flow may be a
 * chain of thousands. */
function rankScope(flow: Flow, scope: readonly FlowNode[]): Tree {
  const inScope = new Set(scope.map((node) => node.id));
  const next = (id: NodeId) =>
    ways(flow, id)
      .filter((line) => line.port !== 'body' && inScope.has(line.to))
      .map((line) => line.to);
  const state = new Map<NodeId, 'open' | 'done'>();
  const order: NodeId[] = [];
  const kids = new Map<NodeId, NodeId[]>();
  const forward = new Map<NodeId, NodeId[]>();
  const visit = (root: NodeId) => {
    const stack: { readonly id: NodeId; readonly to: readonly NodeId[]; at: number }[] = [];
    const enter = (id: NodeId) => {
      state.set(id, 'open');
      kids.set(id, []);
      forward.set(id, []);
      stack.push({ id, to: next(id), at: 0 });
    };
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = top.to[top.at++];
      if (to === undefined) {
        state.set(top.id, 'done');
        order.push(top.id);
        stack.pop();
      } else if (state.get(to) !== 'open') {
        forward.get(top.id)?.push(to);
        if (state.has(to)) continue;
        kids.get(top.id)?.push(to);
        enter(to);
      }
    }
  };
  const isRoot = (node: FlowNode) =>
    !linesTo(flow, node.id).some((line) => inScope.has(line.from) && line.from !== node.id);
  const roots = scope.filter(isRoot);
  const tops: NodeId[] = [];
  for (const node of [...roots, ...scope])
    if (!state.has(node.id)) {
      tops.push(node.id);
      visit(node.id);
    }
  const rank = new Map<NodeId, number>(scope.map((node) => [node.id, 0]));
  for (const id of [...order].reverse())
    for (const to of forward.get(id) ?? [])
      rank.set(to, Math.max(rank.get(to) ?? 0, (rank.get(id) ?? 0) + 1));
  return { rank, column: columnsOf({ order, tops, kids, forward, rank }) };
}

interface Ranked {
  /** Every step behind all that its ways lead to. */
  readonly order: readonly NodeId[];
  readonly tops: readonly NodeId[];
  /** The tree of first visits. */
  readonly kids: ReadonlyMap<NodeId, readonly NodeId[]>;
  readonly forward: ReadonlyMap<NodeId, readonly NodeId[]>;
  readonly rank: ReadonlyMap<NodeId, number>;
}

const NOTHING: ReadonlyMap<number, number> = new Map();

/* Puts steps into the nearest column, from the least one on, that is free in their rows, and returns it. Both maps have the last column
 * that is taken in a row; that of the steps is counted from their own first column. */
function putBeside(
  taken: Map<number, number>,
  steps: ReadonlyMap<number, number>,
  rows: { readonly first: number; readonly last: number },
  least: number,
): number {
  let column = least;
  for (let row = rows.first; row <= rows.last; row++) column = Math.max(column, (taken.get(row) ?? -1) + 1);
  for (let row = rows.first; row <= rows.last; row++)
    taken.set(row, Math.max(taken.get(row) ?? 0, column + (steps.get(row) ?? 0)));
  return column;
}

/* The first way on from a step stays in its column; the next one stands in the nearest column to the right that is free in its own
 * rows, and in those that its lines pass: a branch that ends where the ways join again does not wait for all that comes behind. The same
 * holds of another start. */
function columnsOf({ order, tops, kids, forward, rank }: Ranked): Map<NodeId, number> {
  /** For each step and all that hangs on it: the last column in each row, counted from the step's own. */
  const edges = new Map<NodeId, Map<number, number>>();
  /** And the last row that it takes, with its lines: one to a step that stands elsewhere goes down until the row above that. */
  const ends = new Map<NodeId, number>();
  const aside = new Map<NodeId, number>();
  const rankOf = (id: NodeId) => rank.get(id) ?? 0;
  for (const id of order) {
    const [first, ...others] = kids.get(id) ?? [];
    const edge = (first === undefined ? undefined : edges.get(first)) ?? new Map<number, number>();
    const own = rankOf(id);
    edge.set(own, 0);
    for (const kid of others) {
      const rows = { first: own + 1, last: ends.get(kid) ?? own };
      aside.set(kid, putBeside(edge, edges.get(kid) ?? NOTHING, rows, 1));
    }
    edges.set(id, edge);
    const last = [own];
    for (const kid of kids.get(id) ?? []) last.push(ends.get(kid) ?? own);
    for (const to of forward.get(id) ?? []) last.push(rankOf(to) - 1);
    ends.set(
      id,
      last.reduce((a, b) => Math.max(a, b)),
    );
  }
  const column = new Map<NodeId, number>();
  const taken = new Map<number, number>();
  for (const id of tops) {
    const rows = { first: rankOf(id), last: ends.get(id) ?? rankOf(id) };
    column.set(id, putBeside(taken, edges.get(id) ?? NOTHING, rows, 0));
  }
  for (const id of [...order].reverse())
    for (const kid of kids.get(id) ?? []) column.set(kid, (column.get(id) ?? 0) + (aside.get(kid) ?? 0));
  return column;
}

interface Placed {
  readonly rects: Map<NodeId, Rect>;
  readonly width: number;
  readonly height: number;
}

function starts(sizes: readonly number[], gapAfter: (index: number) => number): number[] {
  let at = 0;
  return sizes.map((size, i) => {
    const here = at;
    at += size + gapAfter(i);
    return here;
  });
}

const hasNamedLines = (flow: Flow, node: FlowNode) =>
  roleOf(node.type) !== 'split' && linesFrom(flow, node.id).filter((line) => line.port !== 'body').length > 1;

function placeScope(flow: Flow, scope: readonly FlowNode[], depth: number): Placed {
  const inner = new Map<NodeId, Placed>();
  const size = (node: FlowNode) => {
    const body = inner.get(node.id);
    if (roleOf(node.type) !== 'loop' && body === undefined) return sizeOf(node.type);
    return {
      width: Math.max(NODE_WIDTH, body?.width ?? 0) + 2 * ZONE_PAD,
      height: ZONE_HEAD + (body?.height ?? 40) + ZONE_PAD,
    };
  };
  for (const node of scope) {
    const children = depth < 32 ? childrenOf(flow, node.id) : [];
    if (children.length > 0) inner.set(node.id, placeScope(flow, children, depth + 1));
  }
  const { rank, column } = rankScope(flow, scope);
  const heights: number[] = [];
  const widths: number[] = [];
  const named = new Set<number>();
  for (const node of scope) {
    const { width, height } = size(node);
    const row = rank.get(node.id) ?? 0;
    const at = column.get(node.id) ?? 0;
    heights[row] = Math.max(heights[row] ?? 0, height);
    if (hasNamedLines(flow, node)) named.add(row);
    widths[at] = Math.max(widths[at] ?? 0, width);
  }
  for (let i = 0; i < heights.length; i++) heights[i] ??= 48;
  for (let i = 0; i < widths.length; i++) widths[i] ??= NODE_WIDTH;
  const tops = starts(heights, (row) => (named.has(row) ? NAMED_GAP : ROW_GAP));
  const lefts = starts(widths, () => COLUMN_GAP);
  const rects = new Map<NodeId, Rect>();
  for (const node of scope) {
    const { width, height } = size(node);
    const at = column.get(node.id) ?? 0;
    const x = (lefts[at] ?? 0) + ((widths[at] ?? width) - width) / 2;
    const y = tops[rank.get(node.id) ?? 0] ?? 0;
    rects.set(node.id, { x, y, width, height });
    const body = inner.get(node.id);
    if (body === undefined) continue;
    const left = x + (width - body.width) / 2;
    for (const [id, rect] of body.rects)
      rects.set(id, { ...rect, x: rect.x + left, y: rect.y + y + ZONE_HEAD });
  }
  const end = (at: readonly number[], sizes: readonly number[]) => (at.at(-1) ?? 0) + (sizes.at(-1) ?? 0);
  return { rects, width: end(lefts, widths), height: end(tops, heights) };
}

const overlaps = (a: Rect, b: Rect) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Whether the document's own places make a picture: enough steps have one, and few stand on each other. */
export const hasPlaces = memo((flow): boolean => {
  const placed = nodesOf(flow).filter((node) => node.position !== null && node.type !== 'for_each');
  if (placed.length === 0 || placed.length * 2 < nodesOf(flow).length) return false;
  const rects = placed.map((node): Rect => ({ ...(node.position ?? { x: 0, y: 0 }), ...sizeOf(node.type) }));
  rects.sort((a, b) => a.y - b.y);
  let count = 0;
  rects.forEach((rect, i) => {
    for (let j = i + 1; j < rects.length; j++) {
      const other = rects[j];
      if (other === undefined || other.y >= rect.y + rect.height) break;
      if (overlaps(rect, other)) count++;
    }
  });
  return count < Math.max(1, placed.length * OVERLAP_SHARE);
});

/** A free place at or to the right of where somebody wants a step. */
export function freePlace(taken: Iterable<Rect>, wanted: Point, type: string): Point {
  const rects = [...taken];
  let at = wanted;
  for (let tries = 0; tries < 64; tries++) {
    const rect = { ...at, ...sizeOf(type) };
    if (!rects.some((other) => overlaps(rect, other))) return at;
    at = { x: at.x + NODE_WIDTH + COLUMN_GAP, y: at.y };
  }
  return at;
}

/* A zone is round its steps, wherever they are. */
function zoneAround(head: Point, inside: readonly Rect[]): Rect {
  const left = Math.min(head.x, ...inside.map((rect) => rect.x - ZONE_PAD));
  const top = Math.min(head.y, ...inside.map((rect) => rect.y - ZONE_HEAD));
  const right = Math.max(
    left + NODE_WIDTH + 2 * ZONE_PAD,
    ...inside.map((rect) => rect.x + rect.width + ZONE_PAD),
  );
  const bottom = Math.max(top + ZONE_HEAD + 64, ...inside.map((rect) => rect.y + rect.height + ZONE_PAD));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function placeByDocument(flow: Flow): Map<NodeId, Rect> {
  const rects = new Map<NodeId, Rect>();
  const isZone = (node: FlowNode) => node.type === 'for_each';
  const nodes = nodesOf(flow);
  for (const node of nodes)
    if (node.position !== null && !isZone(node))
      rects.set(node.id, { ...node.position, ...sizeOf(node.type) });
  for (const node of nodes) {
    if (rects.has(node.id) || isZone(node)) continue;
    const before = linesTo(flow, node.id)
      .map((line) => rects.get(line.from))
      .find((rect) => rect !== undefined);
    const after = linesFrom(flow, node.id)
      .map((line) => rects.get(line.to))
      .find((rect) => rect !== undefined);
    // Behind what leads to it; a start stands above its first step.
    const wanted =
      before !== undefined
        ? { x: before.x, y: before.y + before.height + ROW_GAP }
        : after !== undefined
          ? { x: after.x, y: after.y - ROW_GAP - sizeOf(node.type).height }
          : { x: 0, y: 0 };
    rects.set(node.id, { ...freePlace(rects.values(), wanted, node.type), ...sizeOf(node.type) });
  }
  const depthOf = (node: FlowNode, depth = 0): number => {
    const parent = depth < 32 ? findNode(flow, node.parent ?? '') : undefined;
    return parent === undefined ? depth : depthOf(parent, depth + 1);
  };
  const zones = nodes.filter(isZone).sort((a, b) => depthOf(b) - depthOf(a));
  for (const zone of zones) {
    const inside = childrenOf(flow, zone.id).flatMap((node) => rects.get(node.id) ?? []);
    const first = inside[0];
    const before = linesTo(flow, zone.id)
      .map((line) => rects.get(line.from))
      .find((rect) => rect !== undefined);
    const head =
      zone.position ??
      (first !== undefined
        ? { x: first.x - ZONE_PAD, y: first.y - ZONE_HEAD }
        : { x: before?.x ?? 0, y: (before?.y ?? 0) + (before?.height ?? 0) + ROW_GAP });
    rects.set(zone.id, zoneAround(head, inside));
  }
  return rects;
}

/** Where steps would stand if the document gave them no place: a tidy picture. */
export const tidyPlacesOf = memo((flow): ReadonlyMap<NodeId, Rect> => {
  const top = nodesOf(flow).filter(
    (node) => node.parent === null || findNode(flow, node.parent) === undefined,
  );
  return placeScope(flow, top, 0).rects;
});

/** Where each step stands: its top left corner and size. Zones stand under what is in them. */
export const placesOf = memo((flow): ReadonlyMap<NodeId, Rect> =>
  hasPlaces(flow) ? placeByDocument(flow) : tidyPlacesOf(flow),
);

/** The smallest rectangle round all of them. */
export function boundsOf(places: ReadonlyMap<NodeId, Rect>): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of places.values()) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return left > right
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top };
}

export const snap = (value: number): number => Math.round(value / GRID) * GRID;
