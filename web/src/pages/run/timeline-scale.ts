/* pages/run/timeline-scale.ts — where visits stand on the line of time. Pure: `now` is an argument. */
import { locale } from '../../texts/language';
import type { Visit } from '../../api/instances';
import { formatDuration } from '../../ui/times';

export interface Bar {
  /** Parts of the width, 0 to 1. */
  readonly left: number;
  readonly width: number;
}

export interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Scale {
  readonly bars: readonly Bar[];
  readonly ticks: readonly Tick[];
  /** Where now is; null: the run is over, or time is left out. */
  readonly now: number | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((each) => each * DAY),
];
const TICKS_MAX = 5;
/** Shorter runs are read from their start, longer ones by the clock. */
const CLOCK_FROM = 2 * MINUTE;

const startOf = (visit: Visit) => new Date(visit.startedAt).getTime();
const endOf = (visit: Visit, now: number) =>
  visit.endedAt === undefined ? Math.max(now, startOf(visit)) : new Date(visit.endedAt).getTime();

/** How long the visit worked: all of it but what it waited for others. */
export function workMs(visit: Visit, now: number): number {
  return Math.max(0, endOf(visit, now) - startOf(visit) - (visit.waitedMs ?? 0));
}

function stepFor(span: number): number {
  return STEPS.find((step) => span / step <= TICKS_MAX) ?? STEPS[STEPS.length - 1] ?? DAY;
}

function clockLabel(at: number, step: number): string {
  const date = new Date(at);
  const options: Intl.DateTimeFormatOptions =
    step >= DAY ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat(locale, options).format(date);
}

/** Ticks between `from` and `from + span`, at round times of the local clock or at round distances from the start. */
function ticksOf(from: number, span: number, isClock: boolean): Tick[] {
  const step = stepFor(span);
  const ticks: Tick[] = [];
  const offset = isClock ? new Date(from).getTimezoneOffset() * MINUTE : from;
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= from + span; at += step) {
    const part = (at - from) / span;
    if (part > 0.94) break;
    ticks.push({ at: part, label: isClock ? clockLabel(at, step) : formatDuration(at - from) });
  }
  return ticks;
}

export function scaleByClock(visits: readonly Visit[], now: number, isOver: boolean): Scale {
  const from = Math.min(...visits.map(startOf), now);
  const last = Math.max(...visits.map((visit) => endOf(visit, now)), isOver ? 0 : now);
  const span = Math.max(1, (last - from) * 1.04);
  return {
    bars: visits.map((visit) => ({
      left: (startOf(visit) - from) / span,
      width: (endOf(visit, now) - startOf(visit)) / span,
    })),
    ticks: ticksOf(from, span, span >= CLOCK_FROM),
    now: isOver ? null : (now - from) / span,
  };
}

/** Work after work, in the order of the visits: what was waited for takes no room. */
export function scaleByWork(visits: readonly Visit[], now: number): Scale {
  const total = visits.reduce((sum, visit) => sum + workMs(visit, now), 0);
  const span = Math.max(1, total * 1.04);
  let at = 0;
  const bars = visits.map((visit) => {
    const bar = { left: at / span, width: workMs(visit, now) / span };
    at += workMs(visit, now);
    return bar;
  });
  return { bars, ticks: ticksOf(0, span, false), now: null };
}
