import { expect, test } from 'vitest';

import { fieldWord, versionsOf } from './compare-page';

test.each([
  ['', { from: 4, to: 5 }],
  ['from=1&to=2', { from: 1, to: 2 }],
  ['to=3', { from: 2, to: 3 }],
  ['from=x&to=-1', { from: 4, to: 5 }],
  ['to=1', { from: 1, to: 1 }],
])('"%s" compares %j', (query, expected) => {
  expect(versionsOf({ version: 5 }, new URLSearchParams(query))).toEqual(expected);
});

test.each([
  ['/config/url', 'url'],
  ['/config/head~1ers', 'head/ers'],
  ['', 'all of it'],
])('%s is %s', (pointer, word) => {
  expect(fieldWord(pointer)).toBe(word);
});
