/* pages/builder/canvas-line.tsx — a line on the canvas with its name and a place to add a step. */
import { BaseEdge, type Edge, type EdgeProps, EdgeLabelRenderer, getSmoothStepPath } from '@xyflow/react';
import { createContext, memo, useContext } from 'react';

import type { Point } from '../../flow/flow';
import type { Marks } from '../../flow/marks';
import { t } from '../../texts/builder';
import styles from './canvas.module.css';

export interface LineData extends Record<string, unknown> {
  readonly path: string;
  readonly marks: Marks;
  /** Where the ends of its steps were when the way was laid. */
  readonly sourceAt: Point;
  readonly targetAt: Point;
  readonly label: string;
  /** The step that it leaves and, where several lines do, which one it is: tells one plus from another. */
  readonly source: string;
  readonly look: 'plain' | 'timer' | 'error' | 'back';
  readonly isTaken: boolean;
  readonly hasTest: boolean;
}

/** The requests of a line; the same functions for as long as the canvas is there, or every line would be drawn anew. */
export interface LineActions {
  readonly pick: (key: string) => void;
  readonly add: (key: string, at: Point) => void;
}

export const LineActionsContext = createContext<LineActions | null>(null);

/* A line is drawn anew when what it shows has changed, not when the document has. */
function isSameLine(a: EdgeProps<Edge<LineData, 'line'>>, b: EdgeProps<Edge<LineData, 'line'>>): boolean {
  return (
    a.id === b.id &&
    a.selected === b.selected &&
    a.sourceX === b.sourceX &&
    a.sourceY === b.sourceY &&
    a.targetX === b.targetX &&
    a.targetY === b.targetY &&
    isSameLineData(a.data, b.data)
  );
}

export function isSameLineData(a: LineData | undefined, b: LineData | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.label === b.label &&
    a.source === b.source &&
    a.look === b.look &&
    a.isTaken === b.isTaken &&
    a.hasTest === b.hasTest &&
    a.path === b.path &&
    a.marks.width === b.marks.width &&
    isSamePoint(a.marks.label, b.marks.label) &&
    isSamePoint(a.marks.plus, b.marks.plus) &&
    isSamePoint(a.sourceAt, b.sourceAt) &&
    isSamePoint(a.targetAt, b.targetAt)
  );
}

const isSamePoint = (a: Point | null, b: Point | null) => a?.x === b?.x && a?.y === b?.y;

export type Tone = 'plain' | 'timer' | 'error' | 'taken' | 'idle' | 'picked';

export function toneOf({ look, hasTest, isTaken }: LineData, isPicked: boolean): Tone {
  if (isPicked) return 'picked';
  if (hasTest) return isTaken ? 'taken' : 'idle';
  return look === 'back' ? 'plain' : look;
}

interface LineMarksProps {
  readonly id: string;
  readonly data: LineData;
  readonly tone: Tone;
}

/** The name of a line and its plus. */
export function LineMarks({ id, data, tone }: LineMarksProps) {
  const actions = useContext(LineActionsContext);
  if (actions === null) return null;
  const { label, source, marks } = data;
  const { label: middle, plus, width } = marks;
  return (
    <>
      {label !== '' && (
        <button
          type="button"
          tabIndex={-1}
          className={`${styles['label'] ?? ''} nodrag nopan`}
          data-tone={tone}
          title={label}
          dir="auto"
          style={{
            transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)`,
            maxWidth: width,
          }}
          onClick={(event) => {
            event.stopPropagation(); // The line below is told, too, as it is the parent.
            actions.pick(id);
          }}
        >
          {label}
        </button>
      )}
      {plus !== null && (
        <button
          type="button"
          tabIndex={-1}
          className={`${styles['plus'] ?? ''} nodrag nopan`}
          aria-label={t.addAStepHereBehind(source)}
          title={t.addAStepHere}
          data-line={id}
          style={{ transform: `translate(-50%, -50%) translate(${plus.x}px, ${plus.y}px)` }}
          onClick={(event) => {
            event.stopPropagation();
            actions.add(id, { x: event.clientX, y: event.clientY + 16 });
          }}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 4.5v7M4.5 8h7" />
          </svg>
        </button>
      )}
    </>
  );
}

export const CanvasLine = memo(function CanvasLine(props: EdgeProps<Edge<LineData, 'line'>>) {
  const { id, sourceX, sourceY, targetX, targetY, data, selected = false } = props;
  if (data === undefined) return null;
  // A step that is being dragged has left the way that was laid for its line.
  const isFar = (a: number, b: number) => Math.abs(a - b) > 14;
  const isMoved =
    isFar(sourceX, data.sourceAt.x) ||
    isFar(sourceY, data.sourceAt.y) ||
    isFar(targetX, data.targetAt.x) ||
    isFar(targetY, data.targetAt.y);
  const path = isMoved
    ? getSmoothStepPath({ sourceX, sourceY, targetX, targetY, borderRadius: 10 })[0]
    : data.path;
  const tone = toneOf(data, selected);
  return (
    <g className={styles['line']} data-tone={tone} data-look={data.look}>
      <BaseEdge path={path} interactionWidth={20} markerEnd={`url(#tip-${tone})`} />
      {!isMoved && (
        <EdgeLabelRenderer>
          <LineMarks id={id} data={data} tone={tone} />
        </EdgeLabelRenderer>
      )}
    </g>
  );
}, isSameLine);

const TONES: readonly Tone[] = ['plain', 'timer', 'error', 'taken', 'idle', 'picked'];

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
