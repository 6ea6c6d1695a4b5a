/* flow/duration.ts — lengths of time ↔ a number and a unit: "2d" is 2 days. Others (`1h30m`, a placeholder) are left alone. */
import { countUnits, type TimeUnit } from '../texts/say';

export const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;
export type Unit = (typeof UNITS)[number];

export interface Duration {
  readonly count: number;
  readonly unit: Unit;
}

const LETTERS: { readonly [Each in Unit]: string } = {
  seconds: 's',
  minutes: 'm',
  hours: 'h',
  days: 'd',
  weeks: 'w',
};
const UNIT_NAMES: { readonly [Each in Unit]: TimeUnit } = {
  seconds: 'second',
  minutes: 'minute',
  hours: 'hour',
  days: 'day',
  weeks: 'week',
};
const UNIT_MS: { readonly [Each in Unit]: number } = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
};
const ISO = /^P(?:(\d+)W|(\d+)D|T(\d+)H|T(\d+)M|T(\d+)S)$/i;
const PARTS: readonly (readonly [RegExp, TimeUnit])[] = [
  [/(\d+)w/i, 'week'],
  [/(\d+)d/i, 'day'],
  [/(\d+)h/i, 'hour'],
  [/(\d+)m(?!s)/i, 'minute'],
  [/(\d+)s/i, 'second'],
  [/(\d+)ms/i, 'millisecond'],
];

export function parseDuration(text: string): Duration | null {
  const short = /^(\d{1,6})(s|m|h|d|w)$/i.exec(text.trim());
  if (short !== null) {
    const unit = UNITS.find((each) => LETTERS[each] === short[2]?.toLowerCase());
    return unit === undefined ? null : { count: Number(short[1]), unit };
  }
  const iso = ISO.exec(text.trim());
  if (iso === null) return null;
  const [, weeks, days, hours, minutes, seconds] = iso;
  if (weeks !== undefined) return { count: Number(weeks), unit: 'weeks' };
  if (days !== undefined) return { count: Number(days), unit: 'days' };
  if (hours !== undefined) return { count: Number(hours), unit: 'hours' };
  if (minutes !== undefined) return { count: Number(minutes), unit: 'minutes' };
  return { count: Number(seconds), unit: 'seconds' };
}

/** Milliseconds, which documents may write as a number, in the largest unit that fits; null: none does. */
export function durationOfMs(ms: number): Duration | null {
  const unit = [...UNITS].reverse().find((each) => ms > 0 && ms % UNIT_MS[each] === 0);
  return unit === undefined ? null : { count: ms / UNIT_MS[unit], unit };
}

const ISO_PARTS = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;
const ISO_WORDS: readonly TimeUnit[] = ['week', 'day', 'hour', 'minute', 'second'];

/** `P2D`, `PT15M`: how the steps format writes lengths of time. */
export function printIsoDuration({ count, unit }: Duration): string {
  const letter = LETTERS[unit].toUpperCase();
  return unit === 'seconds' || unit === 'minutes' || unit === 'hours'
    ? `PT${count}${letter}`
    : `P${count}${letter}`;
}

export const printDuration = ({ count, unit }: Duration): string => `${count}${LETTERS[unit]}`;

/** The unit of one: "day". */
export const singleOf = (unit: Unit): TimeUnit => UNIT_NAMES[unit];

/** "2 days", "1 hour 30 minutes"; what it does not know it gives back. */
export function sayDuration(text: string): string {
  const single = parseDuration(text);
  if (single !== null) return countUnits(single.count, singleOf(single.unit));
  const iso = ISO_PARTS.exec(text);
  if (iso !== null && /\d/.test(text))
    return ISO_WORDS.flatMap((word, i) => {
      const count = Number(iso[i + 1] ?? 0);
      return count === 0 ? [] : [countUnits(count, word)];
    }).join(' ');
  if (!/^(?:\d+(?:ms|[wdhms]))+$/i.test(text)) return text;
  return PARTS.flatMap(([pattern, word]) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [countUnits(Number(found), word)];
  }).join(' ');
}
