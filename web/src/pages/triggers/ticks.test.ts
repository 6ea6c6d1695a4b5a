import { expect, test } from 'vitest';

import { isOneClock, tickRows } from './ticks';

test('a tick is told by both clocks, also where the day differs', () => {
  const rows = tickRows(
    [{ at: '2026-11-16T00:30:00Z', local: '2026-11-16T09:30:00+09:00' }],
    'America/New_York',
  );
  expect(rows).toEqual([
    { at: '2026-11-16T00:30:00Z', theirs: 'Mon 16 Nov, 09:30', yours: 'Sun 15 Nov, 19:30' },
  ]);
  expect(isOneClock(rows)).toBe(false);
});

test('clocks that are changed for the winter keep the hour of the schedule', () => {
  const rows = tickRows(
    [
      { at: '2026-10-24T07:00:00Z', local: '2026-10-24T09:00:00+02:00' },
      { at: '2026-10-25T08:00:00Z', local: '2026-10-25T09:00:00+01:00' },
    ],
    'UTC',
  );
  expect(rows.map(({ theirs }) => theirs)).toEqual(['Sat 24 Oct, 09:00', 'Sun 25 Oct, 09:00']);
  expect(rows.map(({ yours }) => yours)).toEqual(['Sat 24 Oct, 07:00', 'Sun 25 Oct, 08:00']);
});

test('the same zone is one clock', () => {
  expect(
    isOneClock(
      tickRows([{ at: '2026-11-16T08:00:00Z', local: '2026-11-16T09:00:00+01:00' }], 'Europe/Berlin'),
    ),
  ).toBe(true);
});

test('what is no time stays as it is', () => {
  expect(tickRows([{ at: 'x', local: 'y' }], 'UTC')).toEqual([{ at: 'x', theirs: 'y', yours: 'x' }]);
});
