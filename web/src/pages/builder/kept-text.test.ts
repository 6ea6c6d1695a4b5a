import { beforeEach, expect, test, vi } from 'vitest';

import { keepText, keptText } from './kept-text';

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
});

test('a text with a mistake is there again, until it is mended', () => {
  const broken = { text: '{ "name": ', why: 'It ends too early.' };
  expect(keptText('a', '"1"')).toBeNull();
  keepText('a', broken, '"1"');
  expect(keptText('a', '"1"')).toEqual(broken);
  expect(keptText('b', '"1"')).toBeNull();
  keepText('a', null, '"1"');
  expect(keptText('a', '"1"')).toBeNull();
});

test('a text that is older than the draft says so, and once', () => {
  keepText('a', { text: '{', why: 'Why.' }, '"1"');
  const old = keptText('a', '"2"');
  expect(old?.why).toMatch(/^Why\. The flow was saved after/);
  keepText('a', old, '"2"');
  expect(keptText('a', '"3"')?.why).toBe(old?.why);
});
