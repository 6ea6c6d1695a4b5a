import { expect, test } from 'vitest';

import { NO_FILTER, parseFilter, printFilter } from '../../ui/run-filter';
import { addView, readViews, VIEWS } from './views';

test.each([[null], ['x'], ['{}'], ['[1, {"name": 2}]']])('%s is no view', (text) =>
  expect(readViews(text)).toEqual([]),
);

test('a saved view comes back, and its name is there once', () => {
  const first = addView([], 'Mine', { ...NO_FILTER, status: ['failed'] });
  const second = addView(first, 'Mine', { ...NO_FILTER, keyword: 'INV' });
  expect(readViews(JSON.stringify(second))).toEqual([{ name: 'Mine', query: 'keyword=INV' }]);
  let many = second;
  for (let at = 0; at < 30; at++) many = addView(many, `View ${at}`, NO_FILTER);
  expect(many).toHaveLength(12);
});

test('the views of all are addresses as we write them', () => {
  for (const { query } of VIEWS) expect(printFilter(parseFilter(new URLSearchParams(query)))).toBe(query);
});
