import fc from 'fast-check';
import { expect, test } from 'vitest';

import { placeOfLine } from './place-of-line';

test.each([
  [1, 1, 0],
  [1, 2, 1],
  [2, 1, 4],
  [2, 99, 6],
  [9, 1, 6],
  [0, 0, 0],
])('line %i, column %i is at %i', (line, column, at) => {
  expect(placeOfLine('abc\nde', line, column)).toBe(at);
});

test('the place is always inside of the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), fc.nat(20), (text, line, column) => {
      const at = placeOfLine(text, line, column);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(text.length);
    }),
  );
});
