import { expect, test } from 'vitest';

import { askedOf, type AuditFilter, NO_FILTER, parseFilter, printFilter } from './audit-filter';
import { actionWords, detailWords } from './words';

test.each<Partial<AuditFilter>>([
  {},
  { principal: 'user:ada' },
  { action: 'instance.*', outcome: 'refused', object: 'a&b=c d' },
  { since: '2026-05-12T09:00', until: '2026-05-13T09:00' },
])('a filter goes into the address and back: %j', (part) => {
  const filter = { ...NO_FILTER, ...part };
  expect(parseFilter(printFilter(filter))).toEqual(filter);
});

test('the engine is asked with times that have a zone', () => {
  const asked = askedOf({ ...NO_FILTER, since: '2026-05-12T09:00' }, 'c1');
  expect(asked).toEqual({
    since: new Date('2026-05-12T09:00').toISOString(),
    pageSize: '100',
    cursor: 'c1',
  });
});

test('rows are said in words', () => {
  expect(actionWords('instance.cancel')).toBe('Instance: cancel');
  expect(actionWords('odd')).toBe('odd');
  expect(detailWords({ variables: ['a', 'b'], count: 3 })).toBe('variables: a, b · count: 3');
  expect(detailWords(undefined)).toBe('');
});
