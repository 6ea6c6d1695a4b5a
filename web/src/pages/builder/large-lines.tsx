/* pages/builder/large-lines.tsx — the lines of a large flow. As elements of React Flow, thousands of lines would each look at every
 * frame of a drag. Here they are laid once: a path for each part of the canvas, and elements with names and pluses where somebody
 * looks closely.
 *
 *     lines as they were laid ──┬── still right ──► tiles: a path each, or elements where it is near
 *                               └── a step has moved, gone or come ──► one plain path, until the lines are laid anew
 */
import { BaseEdge, ViewportPortal } from '@xyflow/react';
import { memo, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';

import { type Flow, linesOf, type LineKey, type Point } from '../../flow/flow';
import { pathOf } from '../../flow/ways';
import styles from './canvas.module.css';
import type { LineEdge } from './canvas-data';
import { LineActionsContext, LineMarks, type Tone, toneOf } from './canvas-line';
import type { StepNode } from './canvas-node';
import type { Near, TileKey } from './near';

interface Ends {
  readonly from: Point;
  readonly to: Point;
}

/* A way of two corners: what the line looks like until its own way is laid. */
function elbow({ from, to }: Ends): string {
  const y = (from.y + to.y) / 2;
  return pathOf([from, { x: from.x, y }, { x: to.x, y }, to]);
}

interface Compared {
  /** Lines that were laid for steps that have moved or gone; as one text, because an equal text is the same text. */
  readonly wrong: string;
  /** The path of those lines, and of new ones. */
  readonly path: string;
}

/** Compares how lines were laid with where the steps are now. */
export function compareLines(flow: Flow, lines: readonly LineEdge[], steps: readonly StepNode[]): Compared {
  const boxes = new Map(steps.map((step) => [step.id, step]));
  const laid = new Map(lines.map((line) => [line.id, line]));
  const right = new Set<LineKey>();
  const paths: string[] = [];
  for (const { key, from: source, to: target } of linesOf(flow)) {
    const [a, b] = [boxes.get(source), boxes.get(target)];
    if (a === undefined || b === undefined) continue;
    const from = { x: a.position.x + (a.width ?? 0) / 2, y: a.position.y + (a.height ?? 0) };
    const to = { x: b.position.x + (b.width ?? 0) / 2, y: b.position.y };
    const { sourceAt, targetAt } = laid.get(key)?.data ?? {};
    const isRight =
      sourceAt?.x === from.x && sourceAt.y === from.y && targetAt?.x === to.x && targetAt.y === to.y;
    if (isRight) right.add(key);
    else paths.push(elbow({ from, to }));
  }
  const wrong = lines.filter(({ id }) => !right.has(id)).map(({ id }) => id);
  return { wrong: JSON.stringify(wrong), path: paths.join('') };
}

type Tiles = ReadonlyMap<TileKey, readonly LineEdge[]>;
const TILE = 384;

/** Lines by the part of the canvas that they are in, always in the same order; a part whose lines are all in `without` is empty. */
export function tilesOf(lines: readonly LineEdge[], without: ReadonlySet<LineKey>): Tiles {
  const tiles = new Map<TileKey, LineEdge[]>();
  for (const line of lines) {
    const at = line.data?.marks.label ?? { x: 0, y: 0 };
    const key = `${Math.floor(at.x / TILE)} ${Math.floor(at.y / TILE)}`;
    const list = tiles.get(key) ?? [];
    if (list.length === 0) tiles.set(key, list);
    if (!without.has(line.id)) list.push(line);
  }
  return new Map([...tiles].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function middleOf(key: TileKey): Point {
  const [column = 0, row = 0] = key.split(' ').map(Number);
  return { x: (column + 0.5) * TILE, y: (row + 0.5) * TILE };
}

const NearLine = memo(function NearLine({ line }: { readonly line: LineEdge }) {
  const actions = useContext(LineActionsContext);
  if (line.data === undefined || actions === null) return null;
  const { path, look } = line.data;
  const tone = toneOf(line.data, line.selected === true);
  return (
    // By keyboard the lines of a step are reached with the key l.
    <g
      className={`${styles['line'] ?? ''} ${styles['near'] ?? ''}`}
      data-tone={tone}
      data-look={look}
      onClick={() => actions.pick(line.id)}
    >
      <BaseEdge path={path} interactionWidth={20} markerEnd={`url(#tip-${tone})`} />
    </g>
  );
});

const NearMarks = memo(function NearMarks({ line }: { readonly line: LineEdge }) {
  if (line.data === undefined) return null;
  return <LineMarks id={line.id} data={line.data} tone={toneOf(line.data, line.selected === true)} />;
});

interface TileProps {
  readonly lines: readonly LineEdge[];
  readonly isNear: boolean;
}

function isSameTile(a: TileProps, b: TileProps): boolean {
  return (
    a.isNear === b.isNear &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, i) => line === b.lines[i])
  );
}

/* A tile is an element of its own, also an empty one: what comes or goes beside an element has its style computed anew. */
const TileLines = memo(function TileLines({ lines, isNear }: TileProps) {
  if (isNear)
    return (
      <g>
        {lines.map((line) => (
          <NearLine key={line.id} line={line} />
        ))}
      </g>
    );
  const paths = new Map<Tone, string>();
  for (const { data, selected } of lines) {
    if (data === undefined) continue;
    const tone = toneOf(data, selected === true);
    paths.set(tone, (paths.get(tone) ?? '') + data.path);
  }
  return (
    <g>
      {[...paths].map(([tone, path]) => (
        <path key={tone} className={styles['bundle']} data-tone={tone} d={path} />
      ))}
    </g>
  );
}, isSameTile);

const TileMarks = memo(function TileMarks({ lines, isNear }: TileProps) {
  return <div>{isNear && lines.map((line) => <NearMarks key={line.id} line={line} />)}</div>;
}, isSameTile);

interface LargeLinesProps {
  readonly flow: Flow;
  readonly lines: readonly LineEdge[];
  /** Where the steps are just now. */
  readonly steps: readonly StepNode[];
  readonly near: Near;
}

export function LargeLines({ flow, lines, steps, near }: LargeLinesProps) {
  const { wrong, path } = useMemo(() => compareLines(flow, lines, steps), [flow, lines, steps]);
  const tiles = useMemo(
    () => tilesOf(lines, new Set(JSON.parse(wrong) as readonly LineKey[])),
    [lines, wrong],
  );
  useEffect(
    () => near.setTiles(new Map([...tiles.keys()].map((key) => [key, middleOf(key)]))),
    [near, tiles],
  );
  const shown = useSyncExternalStore(near.subscribe, near.tiles);
  const picked = lines.find(({ selected }) => selected === true);
  return (
    <ViewportPortal>
      <svg className={styles['far']} aria-hidden="true">
        {[...tiles].map(([key, each]) => (
          <TileLines key={key} lines={each} isNear={shown.has(key)} />
        ))}
        <path className={styles['bundle']} data-tone="plain" d={path} />
        {picked !== undefined && <NearLine line={picked} />}
      </svg>
      {[...tiles].map(([key, each]) => (
        <TileMarks key={key} lines={each} isNear={shown.has(key)} />
      ))}
    </ViewportPortal>
  );
}
