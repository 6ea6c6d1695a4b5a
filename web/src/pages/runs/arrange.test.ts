import fc from 'fast-check';
import { expect, test } from 'vitest';

import { arrange } from './arrange';

const rows = (text: string) => text.split('').map((id) => ({ id }));
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).join('');

test.each<[string, string, string, boolean, string, string, number]>([
  ['nothing changed', 'abc', 'abc', true, 'abc', '', 0],
  ['two are new and push two out', 'abcd', 'xyab', true, 'abcd', '', 2],
  ['one moved on, one moved up from the next page', 'abcd', 'abde', true, 'abcd', 'c', 0],
  ['one moved on at the end of the list', 'abc', 'ab', false, 'abc', 'c', 0],
  ['the whole page is new', 'abc', 'xyz', true, 'abc', '', 3],
  ['all moved on', 'abc', '', false, 'abc', 'abc', 0],
  ['one came in between, as lists by key have it', 'ac', 'abc', false, 'ac', '', 1],
])('%s', (_, shown, found, hasMore, expected, gone, fresh) => {
  const arranged = arrange(rows(shown), rows(found), hasMore);
  expect(ids(arranged.rows)).toBe(expected);
  expect([...arranged.gone].join('')).toBe(gone);
  expect(arranged.fresh).toBe(fresh);
});

test('more than a page of new ones is said', () => {
  expect(arrange(rows('abc'), rows('xyz'), true).isMoreFresh).toBe(true);
  expect(arrange(rows('abc'), rows('xabc'), true).isMoreFresh).toBe(false);
});

test('whatever the engine says, the rows stay where they are and know the newest', () => {
  const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { maxLength: 8 });
  fc.assert(
    fc.property(list, list, fc.boolean(), (shown, found, hasMore) => {
      const before = shown.map((id) => ({ id, version: 1 }));
      const after = found.map((id) => ({ id, version: 2 }));
      const { rows: arranged, gone } = arrange(before, after, hasMore);
      expect(arranged.map(({ id }) => id)).toEqual(shown);
      for (const row of arranged) expect(row.version).toBe(found.includes(row.id) ? 2 : 1);
      for (const id of gone) expect(found).not.toContain(id);
    }),
  );
});
