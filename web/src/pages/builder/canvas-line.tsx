/* pages/builder/canvas-line.tsx — a line on the canvas with its name and a place to add a step. */
import { BaseEdge, type Edge, type EdgeProps, EdgeLabelRenderer, getSmoothStepPath } from '@xyflow/react';
import { memo } from 'react';

import type { Point } from '../../flow/flow';
import { pathOf } from '../../flow/route';
import styles from './canvas.module.css';
import { useBuilder } from './context';

export interface LineData extends Record<string, unknown> {
  readonly points: readonly Point[];
  readonly labelAt: Point;
  /** Where the ends of its steps were when the way was laid. */
  readonly sourceAt: Point;
  readonly targetAt: Point;
  readonly label: string;
  readonly look: 'plain' | 'timer' | 'error' | 'back';
  readonly isTaken: boolean;
  readonly hasTest: boolean;
}

const LABEL_MAX = 34;

interface Marks {
  readonly label: Point;
  readonly plus: Point | null;
}

/* Where the name stands, and "add a step here": on the longest stretch, the one behind the other where a line goes down and has room. */
function marksOf({ points, labelAt, label }: LineData): Marks {
  const at = points.findIndex((point, i) => {
    const next = points[i + 1];
    return (
      next !== undefined &&
      Math.abs((point.x + next.x) / 2 - labelAt.x) < 1 &&
      Math.abs((point.y + next.y) / 2 - labelAt.y) < 1
    );
  });
  const [a, b] = [points[at], points[at + 1]];
  if (a === undefined || b === undefined) return { label: labelAt, plus: null };
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const on = (share: number) => ({ x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share });
  if (label === '') return { label: labelAt, plus: length < 32 ? null : labelAt };
  const isDown = Math.abs(a.x - b.x) < 1;
  if (!isDown || length < 72) return { label: labelAt, plus: null };
  return { label: on(Math.min(0.4, 24 / length + 0.1)), plus: on(1 - 24 / length) };
}

export const CanvasLine = memo(function CanvasLine(props: EdgeProps<Edge<LineData, 'line'>>) {
  const { id, sourceX, sourceY, targetX, targetY, data, selected = false } = props;
  const { openAdd, select } = useBuilder();
  if (data === undefined) return null;
  const { points, look, label } = data;
  // A step that is being dragged has left the way that was laid for its line.
  const isFar = (a: number, b: number) => Math.abs(a - b) > 14;
  const isMoved =
    isFar(sourceX, data.sourceAt.x) ||
    isFar(sourceY, data.sourceAt.y) ||
    isFar(targetX, data.targetAt.x) ||
    isFar(targetY, data.targetAt.y);
  const path = isMoved
    ? getSmoothStepPath({ sourceX, sourceY, targetX, targetY, borderRadius: 10 })[0]
    : pathOf(points);
  const tone = selected
    ? 'picked'
    : data.hasTest
      ? data.isTaken
        ? 'taken'
        : 'idle'
      : look === 'back'
        ? 'plain'
        : look;
  const { label: middle, plus } = marksOf(data);
  return (
    <g className={styles['line']} data-tone={tone} data-look={look}>
      <BaseEdge path={path} interactionWidth={20} markerEnd={`url(#tip-${tone})`} />
      {!isMoved && (
        <EdgeLabelRenderer>
          {label !== '' && (
            <button
              type="button"
              tabIndex={-1}
              className={`${styles['label'] ?? ''} nodrag nopan`}
              data-tone={tone}
              title={label}
              style={{ transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` }}
              onClick={() => select({ kind: 'line', key: id })}
            >
              {label.length > LABEL_MAX ? `${label.slice(0, LABEL_MAX)}…` : label}
            </button>
          )}
          {plus !== null && (
            <button
              type="button"
              tabIndex={-1}
              className={`${styles['plus'] ?? ''} nodrag nopan`}
              aria-label="Add a step here"
              title="Add a step here"
              data-line={id}
              style={{ transform: `translate(-50%, -50%) translate(${plus.x}px, ${plus.y}px)` }}
              onClick={(event) =>
                openAdd({
                  place: { kind: 'line', key: id },
                  at: { x: event.clientX, y: event.clientY + 16 },
                  opener: null,
                })
              }
            >
              <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d="M8 4.5v7M4.5 8h7" />
              </svg>
            </button>
          )}
        </EdgeLabelRenderer>
      )}
    </g>
  );
});

const TONES = ['plain', 'timer', 'error', 'taken', 'idle', 'picked'];

/** The tips of lines, once for the page. */
export function LineTips() {
  return (
    <svg width="0" height="0" className={styles['tips']} aria-hidden="true">
      <defs>
        {TONES.map((tone) => (
          <marker
            key={tone}
            id={`tip-${tone}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
            markerUnits="userSpaceOnUse"
          >
            <path d="M0 0L10 5L0 10z" data-tone={tone} />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
