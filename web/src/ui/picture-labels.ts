/* ui/picture-labels.ts — where the labels of lines stand in the engine's picture. The engine makes room for its own words; ours are often
 * longer, and two of them side by side would run into each other. Then one goes up or down its line, or is cut. Pure. */
import type { PictureEdge, PictureNode } from '../api/pictures';
import { sayLineLabel } from './line-words';

const LINE_HEIGHT = 14;
const LETTER_WIDTH = 5.9;
const PADDING = 5;
const GAP = 2;
/** A label that has no place of its own says so much at most. */
const CUT_MAX = 16;
/** Only what is in the same strip of the picture, or in the next, can be in the way. */
const STRIP = 96;

export interface Label {
  readonly lines: readonly string[];
  /** Its middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isCut: boolean;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const isOver = (a: Box, b: Box) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function labelOf(lines: readonly string[], x: number, y: number, isCut: boolean): Label {
  const letters = Math.max(0, ...lines.map((line) => line.length));
  return {
    lines,
    x,
    y,
    width: letters * LETTER_WIDTH + 2 * PADDING,
    height: lines.length * LINE_HEIGHT + 2 * GAP,
    isCut,
  };
}

const boxOf = ({ x, y, width, height }: Label): Box => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});

const cut = (line: string) => (line.length > CUT_MAX ? `${line.slice(0, CUT_MAX - 1)}…` : line);

/** By the ids of the edges. */
export function placeLabels(
  edges: readonly PictureEdge[],
  nodes: readonly PictureNode[],
  grows: number,
): ReadonlyMap<string, Label> {
  const strips = new Map<number, Box[]>();
  const add = (box: Box) => {
    for (let at = Math.floor(box.top / STRIP); at <= Math.floor(box.bottom / STRIP); at++)
      strips.set(at, [...(strips.get(at) ?? []), box]);
  };
  const isFree = (box: Box) => {
    for (let at = Math.floor(box.top / STRIP); at <= Math.floor(box.bottom / STRIP); at++)
      if (strips.get(at)?.some((other) => isOver(box, other)) === true) return false;
    return true;
  };
  for (const { x, y, width, height, isZone } of nodes)
    if (!isZone) add({ left: x - grows, right: x + width + grows, top: y, bottom: y + height });
  const placed = new Map<string, Label>();
  for (const edge of edges) {
    if (edge.labelAt === null || edge.label === '') continue;
    const [x = 0, y = 0] = edge.labelAt;
    const lines = sayLineLabel(edge.label).split('\n');
    const whole = labelOf(lines, x, y, false);
    const steps = [0, 1, -1].map((step) => ({ ...whole, y: y + step * (whole.height + GAP) }));
    const label = steps.find((each) => isFree(boxOf(each))) ?? labelOf(lines.map(cut), x, y, true);
    add(boxOf(label));
    placed.set(edge.id, label);
  }
  return placed;
}
