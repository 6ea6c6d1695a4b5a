import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { EVERY_MINUTES, parseSchedule, printSchedule, type Schedule, toKind } from './schedule';

const hour = fc.integer({ min: 0, max: 23 });
const minute = fc.integer({ min: 0, max: 59 });
const anySchedule = (): fc.Arbitrary<Schedule> =>
  fc.oneof(
    fc.record({ kind: fc.constantFrom('day' as const, 'weekday' as const), hour, minute }),
    fc.record({ kind: fc.constant('week' as const), day: fc.integer({ min: 1, max: 7 }), hour, minute }),
    fc.record({ kind: fc.constant('month' as const), date: fc.integer({ min: 1, max: 31 }), hour, minute }),
    fc.record({ kind: fc.constant('hour' as const), minute }),
    fc.record({ kind: fc.constant('minutes' as const), every: fc.constantFrom(...EVERY_MINUTES) }),
  );

describe('schedules', () => {
  test('words that are written and read are the same words', () => {
    fc.assert(
      fc.property(anySchedule(), (schedule) => {
        expect(parseSchedule(printSchedule(schedule))).toEqual(schedule);
      }),
    );
  });

  test.each([
    ['0 9 * * 1-5', { kind: 'weekday', hour: 9, minute: 0 }],
    ['30 7 * * 7', { kind: 'week', day: 7, hour: 7, minute: 30 }],
    ['*/15 * * * *', { kind: 'minutes', every: 15 }],
    ['0 8 1 * *', { kind: 'month', date: 1, hour: 8, minute: 0 }],
  ])('%s', (cron, schedule) => expect(parseSchedule(cron)).toEqual(schedule));

  test.each([
    '',
    '0 9 * *',
    '0 9 * 6 *',
    '*/7 * * * *',
    '0 9,17 * * *',
    '0 99 * * *',
    '0 9 L * *',
    '@daily',
    '0 9 1 * 1',
  ])('%s has no words', (cron) => expect(parseSchedule(cron)).toBeNull());

  test('another kind keeps the time', () => {
    expect(toKind('week', { kind: 'day', hour: 17, minute: 30 })).toEqual({
      kind: 'week',
      day: 1,
      hour: 17,
      minute: 30,
    });
  });
});
