/* ui/times.ts — times and durations as people read them: exact where an operator compares, spoken where a person plans.
 * `now` is an argument, so that every function is pure; use-now.ts has a clock for views. */
import { locale } from '../texts/language';
import { countUnits, formatCount, unitsAgo } from '../texts/say';
import { t } from '../texts/ui';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
const CLOCK = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const MINUTES = format({ hour: '2-digit', minute: '2-digit' });
const WEEKDAY = format({ weekday: 'short' });
const DAY_MONTH = format({ day: 'numeric', month: 'short' });
const DAY_MONTH_YEAR = format({ day: 'numeric', month: 'short', year: 'numeric' });
const WHOLE_DAY = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const OFFSET = format({ timeZoneName: 'shortOffset' });

/** 88 → "88 ms", 6400 → "6.4 s", 8280000 → "2 h 18 min". The signs of units are the same in every language. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < SECOND_MS) return `${Math.round(whole)} ms`;
  if (whole < 10 * SECOND_MS) return `${formatCount(Math.floor(whole / 100) / 10)} s`;
  if (whole < HOUR_MS) return formatRough(whole);
  if (whole < DAY_MS) {
    const minutes = Math.floor((whole % HOUR_MS) / MINUTE_MS);
    return `${Math.floor(whole / HOUR_MS)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  }
  const days = Math.floor(whole / DAY_MS);
  const hours = Math.floor((whole % DAY_MS) / HOUR_MS);
  return days < 7 && hours > 0 ? `${countUnits(days, 'day')} ${hours} h` : countUnits(days, 'day');
}

/** As formatDuration(), in one unit: "2 h", "3 days". */
export function formatRough(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < MINUTE_MS) return `${Math.floor(whole / SECOND_MS)} s`;
  if (whole < HOUR_MS) return `${Math.floor(whole / MINUTE_MS)} min`;
  if (whole < DAY_MS) return `${Math.floor(whole / HOUR_MS)} h`;
  return countUnits(Math.floor(whole / DAY_MS), 'day');
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}

/** Midnights between two days, in local time. */
function daysBetween(from: Date, to: Date): number {
  const noon = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime();
  return Math.round((noon(to) - noon(from)) / DAY_MS);
}

/** The clock today ("14:02:09"), the weekday this week ("Mon 09:14"), else the date ("12 May 09:14"). */
export function formatClock(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  if (Number.isNaN(date.getTime())) return '';
  if (isSameDay(date, today)) return CLOCK.format(date);
  if (Math.abs(daysBetween(date, today)) < 7) return `${WEEKDAY.format(date)} ${MINUTES.format(date)}`;
  if (date.getFullYear() === today.getFullYear()) return `${DAY_MONTH.format(date)} ${MINUTES.format(date)}`;
  return DAY_MONTH_YEAR.format(date);
}

/** "just now", "40 s ago", "3 min ago", "yesterday", "12 days ago". */
export function formatAgo(at: string, now: number): string {
  const passed = now - new Date(at).getTime();
  if (Number.isNaN(passed)) return '';
  if (passed < 5 * SECOND_MS) return t.justNow;
  if (passed >= DAY_MS && daysBetween(new Date(at), new Date(now)) === 1) return t.yesterday;
  return passed >= DAY_MS ? unitsAgo(Math.floor(passed / DAY_MS), 'day') : t.ago(formatRough(passed));
}

/** "due in 3 h", "due tomorrow 09:00", "due 12 May 09:00", "2 days late". */
export function formatDue(at: string, now: number): string {
  const date = new Date(at);
  const left = date.getTime() - now;
  if (Number.isNaN(left)) return '';
  if (left < 0) return t.late(formatRough(-left));
  if (left < 12 * HOUR_MS) return t.dueIn(formatRough(left));
  const days = daysBetween(new Date(now), date);
  if (days === 0) return t.dueToday(MINUTES.format(date));
  if (days === 1) return t.dueTomorrow(MINUTES.format(date));
  return t.due(formatClock(at, now));
}

export function isLate(at: string | undefined, now: number): boolean {
  return at !== undefined && new Date(at).getTime() < now;
}

/** The zone of the browser, in which every time is shown: "Europe/Berlin". */
export const ownZone = (): string => CLOCK.resolvedOptions().timeZone;

/** How far the zone is from Greenwich at a moment: "GMT+2". */
export function formatOffset(at: string | number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return OFFSET.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** As formatClock(), with the zone: "Mon 09:14 GMT+2". */
export function formatZoned(at: string, now: number): string {
  return `${formatClock(at, now)} ${formatOffset(at)}`.trim();
}

/** The date and the clock: "Tuesday 12 May 2026, 14:05". */
export function formatDay(at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : `${wholeDay(date)}, ${MINUTES.format(date)}`;
}

const wholeDay = (date: Date): string => WHOLE_DAY.format(date).replace(/^([^ ]+),/, '$1');

/** "Tuesday 12 May 2026, 14:05:09 GMT+2 (Europe/Berlin)", for titles. */
export function formatWhole(at: string | number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return `${wholeDay(date)}, ${CLOCK.format(date)} ${formatOffset(at)} (${ownZone()})`;
}

/** "14:05", for axes. */
export function formatMinute(at: number): string {
  return MINUTES.format(new Date(at));
}
