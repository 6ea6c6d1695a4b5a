import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  chipsOf,
  NO_FILTER,
  parseFilter,
  printFilter,
  type RunFilter,
  STARTED,
  startedAfter,
  TEXT_NAMES,
  without,
} from './run-filter';
import { STATUSES } from './words';

const anyFilter: fc.Arbitrary<RunFilter> = fc.record({
  status: fc.uniqueArray(fc.constantFrom(...STATUSES)),
  started: fc.option(fc.constantFrom(...STARTED)),
  keyword: fc.string({ unit: 'binary' }),
  definitionId: fc.string(),
  version: fc.constantFrom('', '1', '42'),
  businessKey: fc.string({ unit: 'grapheme' }),
  reason: fc.string(),
  reasonContains: fc.string(),
  failedAt: fc.string(),
  waitingAt: fc.string(),
  waitingFor: fc.constantFrom('', 'person', 'job'),
});

describe('filters in the address', () => {
  test('come back as they went', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(parseFilter(new URLSearchParams(printFilter(filter)))).toEqual(filter);
      }),
    );
  });

  test('nothing is written for nothing', () => expect(printFilter(NO_FILTER)).toBe(''));

  test('what is not known is left out', () => {
    const asked = new URLSearchParams('status=failed,banana,failed&started=9y&version=x&cursor=abc&other=1');
    expect(parseFilter(asked)).toEqual({ ...NO_FILTER, status: ['failed'] });
  });

  test('each chip takes itself away', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        const left = chipsOf(filter).reduce((rest, { name }) => without(rest, name), filter);
        expect(left).toEqual(NO_FILTER);
      }),
    );
  });
});

test('the time of "in the last hour" is a whole minute, and the same within it', () => {
  const filter: RunFilter = { ...NO_FILTER, started: '1h' };
  const now = Date.UTC(2026, 4, 12, 14, 5, 30);
  expect(startedAfter(filter, now)).toBe('2026-05-12T13:05:00.000Z');
  expect(startedAfter(filter, now + 20_000)).toBe(startedAfter(filter, now));
  expect(startedAfter(NO_FILTER, now)).toBeUndefined();
  expect(TEXT_NAMES).toContain('waitingFor');
});
