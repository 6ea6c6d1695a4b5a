/* flow/boxes.ts — which of many boxes does this one touch? A grid of cells answers without looking at all of them. Boxes and
 * questions that would fill too many cells (a document may place a step a million pixels away) are looked at one by one. */
import type { Rect } from './layout';

const CELL = 256;
const CELLS_MAX = 4096;

export interface Boxes {
  readonly add: (box: Rect) => void;
  /** Whether one that is not in `except` touches the box. */
  readonly hits: (box: Rect, except?: readonly (Rect | undefined)[]) => boolean;
  readonly count: (box: Rect) => number;
}

const touches = (a: Rect, b: Rect) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

interface Span {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function spanOf({ x, y, width, height }: Rect): Span | null {
  const span = {
    left: Math.floor(x / CELL),
    top: Math.floor(y / CELL),
    right: Math.floor((x + width) / CELL),
    bottom: Math.floor((y + height) / CELL),
  };
  const cells = (span.right - span.left + 1) * (span.bottom - span.top + 1);
  return cells <= CELLS_MAX ? span : null;
}

export function createBoxes(boxes: Iterable<Rect> = []): Boxes {
  const cells = new Map<number, Rect[]>();
  const all: Rect[] = [];
  const wide: Rect[] = [];
  const keyOf = (column: number, row: number) => column * 1_000_003 + row;
  const add = (box: Rect) => {
    all.push(box);
    const span = spanOf(box);
    if (span === null) {
      wide.push(box);
      return;
    }
    for (let column = span.left; column <= span.right; column++)
      for (let row = span.top; row <= span.bottom; row++) {
        const cell = cells.get(keyOf(column, row));
        if (cell === undefined) cells.set(keyOf(column, row), [box]);
        else cell.push(box);
      }
  };
  const near = (box: Rect): Iterable<Rect> => {
    const span = spanOf(box);
    if (span === null) return all;
    const found = new Set(wide);
    for (let column = span.left; column <= span.right; column++)
      for (let row = span.top; row <= span.bottom; row++)
        for (const other of cells.get(keyOf(column, row)) ?? []) found.add(other);
    return found;
  };
  for (const box of boxes) add(box);
  return {
    add,
    hits: (box, except = []) => {
      for (const other of near(box)) if (touches(box, other) && !except.includes(other)) return true;
      return false;
    },
    count: (box) => {
      let count = 0;
      for (const other of near(box)) if (touches(box, other)) count++;
      return count;
    },
  };
}
