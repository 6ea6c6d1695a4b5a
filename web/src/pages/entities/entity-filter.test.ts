import fc from 'fast-check';
import { expect, test } from 'vitest';

import { conditionOf, OPERATORS, operatorsOf, parseFilter, printFilter } from './entity-filter';

const anyFilter = fc.record({
  state: fc.string(),
  where: fc.array(
    fc.record({
      path: fc.string({ minLength: 1 }),
      operator: fc.constantFrom(...OPERATORS),
      value: fc.string(),
    }),
    { maxLength: 4 },
  ),
});

test('what the address says is the filter that made it', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      expect(parseFilter(new URLSearchParams(printFilter(filter)))).toEqual(filter);
    }),
  );
});

test('an address that nobody made is no condition', () => {
  for (const where of ['', 'EQUALS', 'EQUALS:', 'LIKE:a:1', 'EQUALS:%zz:1'])
    expect(parseFilter(new URLSearchParams({ where })).where).toEqual([]);
});

test('values have the type of their field', () => {
  const fields = [
    { path: 'amount', title: 'Amount', type: 'number' },
    { path: 'paid', title: 'Paid', type: 'yesNo' },
    { path: 'zip', title: 'Zip', type: 'text' },
  ] as const;
  const valueOf = (path: string, value: string) => {
    const made = conditionOf({ state: '', where: [{ path, operator: 'EQUALS', value }] }, fields);
    return made?.type === 'group'
      ? made.conditions.map((each) => ('value' in each ? each.value : null))
      : null;
  };
  expect(valueOf('amount', '12.5')).toEqual([12.5]);
  expect(valueOf('amount', 'many')).toEqual(['many']);
  expect(valueOf('paid', 'no')).toEqual([false]);
  expect(valueOf('zip', '1010')).toEqual(['1010']);
  expect(conditionOf({ state: '', where: [] }, fields)).toBeNull();
  expect(conditionOf({ state: 'NEW', where: [] }, fields)).toEqual({
    type: 'group',
    operator: 'AND',
    conditions: [{ type: 'lifecycle', field: 'state', operatorType: 'EQUALS', value: 'NEW' }],
  });
  for (const field of fields) expect(operatorsOf(field)).toContain('EQUALS');
});
