/* flow/schedule.ts — schedules in words ↔ the five fields of cron. A schedule that has no words here is left as it is. */
import { t } from '../texts/flow';
import { locale } from '../texts/language';

const WEEKDAY = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
/* 1 January 2024 was a Monday. */
export const DAYS: readonly string[] = [1, 2, 3, 4, 5, 6, 7].map((day) =>
  WEEKDAY.format(Date.UTC(2024, 0, day)),
);

export type Schedule =
  | { readonly kind: 'day'; readonly hour: number; readonly minute: number }
  | { readonly kind: 'weekday'; readonly hour: number; readonly minute: number }
  /** `day`: 1 is Monday, 7 is Sunday. */
  | { readonly kind: 'week'; readonly day: number; readonly hour: number; readonly minute: number }
  | { readonly kind: 'month'; readonly date: number; readonly hour: number; readonly minute: number }
  | { readonly kind: 'hour'; readonly minute: number }
  | { readonly kind: 'minutes'; readonly every: number };

export const SCHEDULE_WORDS: { readonly [Kind in Schedule['kind']]: string } = {
  weekday: t.everyWeekday,
  day: t.everyDay,
  week: t.everyWeek,
  month: t.everyMonth,
  hour: t.everyHour,
  minutes: t.everyFewMinutes,
};

/** Minutes after which an hour begins anew without a rest. */
export const EVERY_MINUTES = [5, 10, 15, 20, 30] as const;

const NUMBER = /^\d{1,2}$/;

function numberIn(field: string | undefined, from: number, to: number): number | null {
  if (field === undefined || !NUMBER.test(field)) return null;
  const number = Number(field);
  return number >= from && number <= to ? number : null;
}

/** The words for a schedule; null: there are none. */
export function parseSchedule(cron: string): Schedule | null {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minutes = '', hours = '', dates, months, days] = fields;
  if (months !== '*') return null;
  const every = /^\*\/(\d{1,2})$/.exec(minutes)?.[1];
  const isAnyDay = dates === '*' && days === '*';
  if (every !== undefined && hours === '*' && isAnyDay) {
    const number = Number(every);
    return EVERY_MINUTES.some((each) => each === number) ? { kind: 'minutes', every: number } : null;
  }
  const minute = numberIn(minutes, 0, 59);
  if (minute === null) return null;
  if (hours === '*') return isAnyDay ? { kind: 'hour', minute } : null;
  const hour = numberIn(hours, 0, 23);
  if (hour === null) return null;
  if (isAnyDay) return { kind: 'day', hour, minute };
  if (dates === '*' && days === '1-5') return { kind: 'weekday', hour, minute };
  const day = numberIn(days, 0, 7);
  if (dates === '*' && day !== null) return { kind: 'week', day: day === 0 ? 7 : day, hour, minute };
  const date = numberIn(dates, 1, 31);
  return days === '*' && date !== null ? { kind: 'month', date, hour, minute } : null;
}

export function printSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'minutes':
      return `*/${schedule.every} * * * *`;
    case 'hour':
      return `${schedule.minute} * * * *`;
    case 'day':
      return `${schedule.minute} ${schedule.hour} * * *`;
    case 'weekday':
      return `${schedule.minute} ${schedule.hour} * * 1-5`;
    case 'week':
      return `${schedule.minute} ${schedule.hour} * * ${schedule.day === 7 ? 0 : schedule.day}`;
    case 'month':
      return `${schedule.minute} ${schedule.hour} ${schedule.date} * *`;
  }
}

/** The schedule of another kind that keeps what the old one said. */
export function toKind(kind: Schedule['kind'], old: Schedule | null): Schedule {
  const hour = old !== null && 'hour' in old ? old.hour : 9;
  const minute = old !== null && 'minute' in old ? old.minute : 0;
  switch (kind) {
    case 'minutes':
      return { kind, every: 15 };
    case 'hour':
      return { kind, minute };
    case 'day':
    case 'weekday':
      return { kind, hour, minute };
    case 'week':
      return { kind, day: 1, hour, minute };
    case 'month':
      return { kind, date: 1, hour, minute };
  }
}
