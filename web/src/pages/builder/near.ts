/* pages/builder/near.ts — what of a large flow is shown in full: the words of steps, the names and pluses of lines. From far away nobody
 * could read them, and thousands of them would cost every frame. A few come with each frame, those in the middle first, and they go the
 * same way. Outside of React: a canvas that is moved draws nothing anew but what comes into sight.
 *
 *     look(viewport) ──► area ──► each frame: the next few steps, then a tile of lines ──► listeners
 */
import type { NodeId, Point } from '../../flow/flow';
import type { Rect } from '../../flow/layout';

export type TileKey = string;

/** From this size on names can be read. */
const NEAR_ZOOM = 0.5;
const STEPS_AT_ONCE = 6;
const TILES_AT_ONCE = 1;
/** By how much more than what is in sight is shown, so that the canvas can be moved a little. */
const MARGIN = 0.1;

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

export interface Near {
  readonly subscribe: (listener: () => void) => () => void;
  readonly hasStep: (id: NodeId) => boolean;
  readonly tiles: () => ReadonlySet<TileKey>;
  /** Where the middles of steps and of tiles are now. */
  readonly setSteps: (steps: ReadonlyMap<NodeId, Point>) => void;
  readonly setTiles: (tiles: ReadonlyMap<TileKey, Point>) => void;
  /** The part that is in sight. While the canvas moves, things come but do not go; while its size changes, neither. */
  readonly look: (view: View, isMoving: boolean) => void;
}

const grow = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - width * by,
  y: y - height * by,
  width: width * (1 + 2 * by),
  height: height * (1 + 2 * by),
});

const contains = (outer: Rect, inner: Rect) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** The things that are shown after the next frame, at most `count` things more or less than now; the same set: nothing changes. */
export function nextNear(
  things: ReadonlyMap<string, Point>,
  now: ReadonlySet<string>,
  area: Rect | null,
  count: number,
): ReadonlySet<string> {
  const missing: { readonly id: string; readonly far: number }[] = [];
  const isOut = ({ x, y }: Point) =>
    area === null || x < area.x || y < area.y || x > area.x + area.width || y > area.y + area.height;
  if (area !== null)
    for (const [id, at] of things)
      if (!now.has(id) && !isOut(at))
        missing.push({
          id,
          far: Math.hypot(at.x - area.x - area.width / 2, at.y - area.y - area.height / 2),
        });
  if (missing.length > 0) {
    missing.sort((a, b) => a.far - b.far);
    return new Set([...now, ...missing.slice(0, count).map(({ id }) => id)]);
  }
  const gone: string[] = [];
  for (const id of now) {
    const at = things.get(id);
    if (at === undefined || isOut(at)) gone.push(id);
    if (gone.length === count) break;
  }
  if (gone.length === 0) return now;
  const next = new Set(now);
  for (const id of gone) next.delete(id);
  return next;
}

export function createNear(): Near {
  const listeners = new Set<() => void>();
  let places: ReadonlyMap<NodeId, Point> = new Map();
  let parts: ReadonlyMap<TileKey, Point> = new Map();
  let steps: ReadonlySet<NodeId> = new Set();
  let tiles: ReadonlySet<TileKey> = new Set();
  let area: Rect | null = null;
  let restZoom = 0;
  let frame = 0;

  const advance = () => {
    frame = 0;
    const nextSteps = nextNear(places, steps, area, STEPS_AT_ONCE);
    // A frame has room for one of both.
    const nextTiles = nextSteps === steps ? nextNear(parts, tiles, area, TILES_AT_ONCE) : tiles;
    if (nextSteps === steps && nextTiles === tiles) return;
    steps = nextSteps;
    tiles = nextTiles;
    for (const listener of listeners) listener();
    plan();
  };
  const plan = () => {
    if (frame === 0) frame = requestAnimationFrame(advance);
  };

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hasStep: (id) => steps.has(id),
    tiles: () => tiles,
    setSteps: (next) => {
      places = next;
      plan();
    },
    setTiles: (next) => {
      parts = next;
      plan();
    },
    look: ({ x, y, zoom, width, height }, isMoving) => {
      const seen = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
      const isNear = zoom >= NEAR_ZOOM;
      // Names that come while the size changes would not be read, and cost the frames of the change.
      if (isMoving && (zoom !== restZoom || !isNear || (area !== null && contains(area, seen)))) return;
      restZoom = zoom;
      area = isNear ? grow(seen, MARGIN) : null;
      plan();
    },
  };
}
