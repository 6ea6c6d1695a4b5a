import { expect, test } from 'vitest';

import { rowsOf } from './value-list';
import { count } from '../texts/say';
import { listWords, shortValue } from './words';

test.each([
  [
    { a: 1, b: { c: 'x', d: [1] } },
    [
      ['a', 1],
      ['b.c', 'x'],
      ['b.d', [1]],
    ],
  ],
  [{ a: {} }, [['a', {}]]],
  [[1, 2], [['', [1, 2]]]],
  ['text', [['', 'text']]],
  [null, []],
])('rows of %j', (value, rows) => expect(rowsOf(value)).toEqual(rows));

test.each([
  [null, 'nothing'],
  ['', 'empty'],
  [0, '0'],
  [false, 'false'],
  [[1], '1 entry'],
  [{ a: 1, b: 2 }, '2 fields'],
])('short %j', (value, text) => expect(shortValue(value)).toBe(text));

test('counts and lists in words', () => {
  const runs = (number: number) => count(number, { one: '# run', other: '# runs' });
  expect([runs(1), runs(1046), runs(0)]).toEqual(['1 run', '1,046 runs', '0 runs']);
  expect([listWords([]), listWords(['a']), listWords(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c']);
});
