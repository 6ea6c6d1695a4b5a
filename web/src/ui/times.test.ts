import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { formatAgo, formatClock, formatDue, formatDuration, formatWhole, isLate } from './times';

const NOW = new Date(2026, 4, 12, 14, 5, 0).getTime();
const before = (ms: number) => new Date(NOW - ms).toISOString();
const HOUR = 3_600_000;

describe('formatDuration', () => {
  test.each([
    [0, '0 ms'],
    [88, '88 ms'],
    [6449, '6.4 s'],
    [9999, '9.9 s'],
    [42_000, '42 s'],
    [9 * 60_000, '9 min'],
    [2 * HOUR, '2 h'],
    [2 * HOUR + 18 * 60_000, '2 h 18 min'],
    [27 * HOUR, '1 day 3 h'],
    [41 * 24 * HOUR, '41 days'],
    [-5, '0 ms'],
  ])('%d', (ms, words) => expect(formatDuration(ms)).toBe(words));

  test('is never empty and never says 60 of a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        expect(formatDuration(ms)).not.toMatch(/\b60 (s|min)\b|\b24 h\b/);
      }),
    );
  });
});

test.each([
  [2_000, 'just now'],
  [40_000, '40 s ago'],
  [3 * 60_000, '3 min ago'],
  [20 * HOUR, '20 h ago'],
  [25 * HOUR, 'yesterday'],
  [12 * 24 * HOUR, '12 days ago'],
])('formatAgo %d', (ms, words) => expect(formatAgo(before(ms), NOW)).toBe(words));

test.each([
  [3 * 60_000, '14:02:00'],
  [24 * HOUR, 'Mon 14:05'],
  [30 * 24 * HOUR, '12 Apr 14:05'],
  [400 * 24 * HOUR, '7 Apr 2025'],
])('formatClock %d', (ms, words) => expect(formatClock(before(ms), NOW)).toBe(words));

test.each([
  [2 * 24 * HOUR, '2 days late'],
  [-3 * HOUR, 'due in 3 h'],
  [-22 * HOUR, 'due tomorrow 12:05'],
  [-3 * 24 * HOUR, 'due Fri 14:05'],
])('formatDue %d', (ms, words) => expect(formatDue(before(ms), NOW)).toBe(words));

test('a text that is no time is empty, not "Invalid Date"', () => {
  expect([formatAgo('x', NOW), formatClock('x', NOW), formatDue('x', NOW), formatWhole('x')]).toEqual([
    '',
    '',
    '',
    '',
  ]);
  expect(isLate(undefined, NOW)).toBe(false);
});
