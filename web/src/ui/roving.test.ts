import fc from 'fast-check';
import { expect, test } from 'vitest';

import { moveTo } from './roving';

test.each([
  ['ArrowDown', 0, 3, 1],
  ['ArrowDown', 2, 3, 2],
  ['ArrowUp', 0, 3, 0],
  ['Home', 2, 3, 0],
  ['End', 0, 3, 2],
  ['PageDown', 0, 30, 10],
  ['a', 0, 3, null],
  ['j', 0, 3, null],
  ['ArrowDown', 0, 0, null],
])('%s from %d of %d', (key, index, count, to) => expect(moveTo(key, index, count)).toBe(to));

test('letters move where they are not typed', () => {
  expect(moveTo('j', 0, 3, { hasLetters: true })).toBe(1);
  expect(moveTo('k', 1, 3, { hasLetters: true })).toBe(0);
});

test('never leaves the list', () => {
  const keys = fc.constantFrom('ArrowDown', 'ArrowUp', 'Home', 'End', 'PageUp', 'PageDown');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(keys), (count, pressed) => {
      const at = pressed.reduce((index, key) => moveTo(key, index, count) ?? index, 0);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThan(count);
    }),
  );
});
