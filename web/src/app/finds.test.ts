import { expect, test } from 'vitest';

import { findPages, groupFinds, moveFind } from './finds';

const PAGES = [
  { word: 'Home', href: '/', icon: 'home' as const },
  { word: 'Decision tables', href: '/tables', icon: 'table' as const },
];

test('pages are found by the beginning of a word', () => {
  expect(findPages(PAGES, 'ta').map(({ href }) => href)).toEqual(['/tables']);
  expect(findPages(PAGES, 'HO').map(({ href }) => href)).toEqual(['/']);
  expect(findPages(PAGES, 'ome')).toEqual([]);
  expect(findPages(PAGES, '')).toHaveLength(2);
});

test.each([
  ['ArrowDown', 0, 3, 1],
  ['ArrowDown', 2, 3, 0],
  ['ArrowUp', 0, 3, 2],
  ['PageDown', 0, 3, 2],
  ['PageUp', 2, 3, 0],
  ['ArrowDown', 0, 0, null],
  ['a', 0, 3, null],
])('%s from %i of %i leads to %s', (key, at, count, expected) => {
  expect(moveFind(key, at, count)).toBe(expected);
});

test('lines of a group stand together', () => {
  const find = (key: string, group: string) => ({
    key,
    group,
    icon: 'home' as const,
    title: '',
    note: '',
    href: '',
  });
  const groups = groupFinds([find('a', 'x'), find('b', 'y'), find('c', 'x')]);
  expect(groups.map(([name, finds]) => [name, finds.map(({ key }) => key)])).toEqual([
    ['x', ['a', 'c']],
    ['y', ['b']],
  ]);
});
