/* pages/builder/line-popover.tsx — when a line is taken, beside the line on the canvas. It follows the canvas when that is moved and
 * stays inside of it; Escape goes back to the step. */
import { useReactFlow, useStore, useViewport } from '@xyflow/react';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';

import { isChosen } from '../../flow/commands/lines';
import { findLine, findNode, linesFrom } from '../../flow/flow';
import type { Marks } from '../../flow/marks';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/builder';
import styles from './canvas.module.css';
import { useBuilder } from './context';
import { LineCondition, Otherwise } from './line-condition';

export const LINE_POPOVER_ID = 'line-popover';
const WIDTH = 408;
const MARGIN = 8;
/** Between the name of the line and the popover: as much as there is room for. */
const GAP = 40;
const GAP_MIN = 12;

interface LinePopoverProps {
  readonly lineKey: string;
  readonly marks: Marks;
  readonly hasLabel: boolean;
  readonly onLeave: (node: string) => void;
}

interface Spot {
  readonly left: number;
  readonly top: number;
  /** The thread from the line to the popover, in pixels of the popover; null: the popover covers the line. */
  readonly thread: { readonly left: number; readonly top: number; readonly width: number } | null;
}

/** Beside the name of the line, to the right if there is room, else to the left, else as far as the canvas goes. */
export function spotOf(
  at: { readonly x: number; readonly y: number },
  half: number,
  stage: { readonly width: number; readonly height: number },
  height: number,
): Spot {
  const clamp = (value: number, end: number) => Math.max(MARGIN, Math.min(value, end));
  const top = clamp(at.y - 20, stage.height - height - MARGIN);
  const inReach = at.y >= top + 8 && at.y <= top + height - 8;
  const toRight = Math.min(GAP, stage.width - MARGIN - WIDTH - at.x - half);
  if (toRight >= GAP_MIN)
    return {
      left: at.x + half + toRight,
      top,
      thread: inReach ? { left: 8 - toRight, top: at.y - top, width: toRight - 8 } : null,
    };
  const toLeft = Math.min(GAP, at.x - half - WIDTH - MARGIN);
  if (toLeft >= GAP_MIN)
    return {
      left: at.x - half - toLeft - WIDTH,
      top,
      thread: inReach ? { left: WIDTH, top: at.y - top, width: toLeft - 8 } : null,
    };
  // There is no room beside it: below the name, or above.
  const below = at.y + 24;
  return {
    left: clamp(at.x - WIDTH / 2, stage.width - WIDTH - MARGIN),
    top:
      below + height + MARGIN <= stage.height
        ? below
        : clamp(at.y - 24 - height, stage.height - height - MARGIN),
    thread: null,
  };
}

/** By how much the canvas moves to the side so that the popover does not hide what its line joins; 0: there is room beside it. */
export function makeRoom(x: number, half: number, width: number): number {
  const toRight = width - MARGIN - WIDTH - GAP_MIN - x - half;
  const toLeft = x - half - WIDTH - MARGIN - GAP_MIN;
  if (toRight >= 0 || toLeft >= 0 || x < 0 || x > width) return 0;
  return x + toRight - half >= MARGIN ? toRight : 0;
}

export function LinePopover({ lineKey, marks, hasLabel, onLeave }: LinePopoverProps) {
  const { flow, types, select, openAdd } = useBuilder();
  const { x, y, zoom } = useViewport();
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const box = useRef<HTMLDivElement>(null);
  const [ownHeight, setOwnHeight] = useState(184);
  useEffect(() => {
    if (box.current === null) return;
    const element = box.current;
    const observer = new ResizeObserver(() => setOwnHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const half = hasLabel ? (marks.width / 2) * zoom : 4;
  const onOpen = useEffectEvent(() => {
    // The name grows with the condition.
    const by = makeRoom(marks.label.x * zoom + x, Math.max(half, 80), width);
    if (by !== 0) void setViewport({ x: x + by, y, zoom });
  });
  useEffect(() => onOpen(), [lineKey]);
  const line = findLine(flow, lineKey);
  if (line === undefined || !isChosen(flow, line)) return null;

  const { left, top, thread } = spotOf(
    { x: marks.label.x * zoom + x, y: marks.label.y * zoom + y },
    half,
    { width, height },
    ownHeight,
  );
  const ways = linesFrom(flow, line.from).filter((each) => isChosen(flow, each));
  const at = ways.findIndex((each) => each.key === line.key);
  const go = (by: number) => {
    const next = ways[(at + by + ways.length) % ways.length];
    if (next !== undefined) select({ kind: 'line', key: next.key });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onLeave(line.from);
  };
  const target = findNode(flow, line.to);
  return (
    // Escape works wherever the focus is in it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={box}
      id={LINE_POPOVER_ID}
      className={`pop ${styles['popover'] ?? ''}`}
      style={{ left, top, width: WIDTH, maxHeight: Math.max(160, height - 2 * MARGIN) }}
      role="dialog"
      aria-label={t.whenToGoThisWay}
      onKeyDown={onKeyDown}
    >
      {thread !== null && <i className={styles['thread']} style={thread} data-end={thread.left > 0} />}
      <header>
        <div>
          <h2>{line.isDefault ? t.goThisWayOtherwise : t.goThisWayWhen}</h2>
          <span className="dim s cut" dir="auto">
            {t.to(
              target === undefined ? line.to : target.label || (types.get(target.type)?.label ?? target.id),
            )}
          </span>
        </div>
        {ways.length > 1 && (
          <>
            <button
              type="button"
              className={`btn quiet icon small ${styles['turned'] ?? ''}`}
              aria-label={t.wayBefore}
              title={t.wayBefore}
              onClick={() => go(-1)}
            >
              <Icon name="right" small />
            </button>
            <span className="dim s">{t.of(at + 1, ways.length)}</span>
            <button
              type="button"
              className="btn quiet icon small"
              aria-label={t.nextWay}
              title={t.nextWay}
              onClick={() => go(1)}
            >
              <Icon name="right" small />
            </button>
          </>
        )}
        <button
          type="button"
          className="btn quiet icon small"
          aria-label={t.close}
          onClick={() => onLeave(line.from)}
        >
          <Icon name="close" small />
        </button>
      </header>
      <LineCondition key={line.key} line={line} isBrief />
      <footer>
        <Otherwise line={line} />
        <span className="grow" />
        <button
          type="button"
          className="btn small quiet"
          onClick={(event) => {
            const rect = event.currentTarget.getBoundingClientRect();
            openAdd({
              place: { kind: 'line', key: line.key },
              at: { x: rect.left + rect.width / 2, y: rect.bottom + 4 },
              opener: event.currentTarget,
            });
          }}
        >
          <Icon name="plus" small />
          {t.addAStep}
        </button>
      </footer>
    </div>
  );
}
