/* pages/triggers/ticks.ts — the ticks of a schedule as two clocks show them: the schedule's own and the reader's. Pure. */
import { locale } from '../../texts/language';

export interface Tick {
  readonly at: string;
  /** As clocks show it in the schedule's zone: 2026-11-16T09:00:00+01:00. */
  readonly local: string;
}

export interface TickRow {
  readonly at: string;
  readonly theirs: string;
  readonly yours: string;
}

interface Format {
  readonly format: (date: Date) => string;
}

/** "Mon 16 Nov, 09:30"; some browsers put a comma behind the weekday, too. */
function formatIn(timeZone: string): Format {
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
  return { format: (date) => format.format(date).replace(/^(\p{L}+),/u, '$1') };
}

/** The engine wrote the wall clock: read as UTC it stays what it is. */
function wallClock(local: string): string {
  const date = new Date(`${local.slice(0, 19)}Z`);
  return Number.isNaN(date.getTime()) ? local : formatIn('UTC').format(date);
}

export function tickRows(ticks: readonly Tick[], yourZone: string): readonly TickRow[] {
  const yours = formatIn(yourZone);
  return ticks.map(({ at, local }) => ({
    at,
    theirs: wallClock(local),
    yours: Number.isNaN(Date.parse(at)) ? at : yours.format(new Date(at)),
  }));
}

/** Whether both clocks show the same at every tick. */
export function isOneClock(rows: readonly TickRow[]): boolean {
  return rows.every(({ theirs, yours }) => theirs === yours);
}

export const yourZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
