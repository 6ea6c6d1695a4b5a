import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonObject } from '../../ui/form/json';
import { applyPatch, patchOf } from './patch';

/* A merge patch cannot say null: it means that a member goes. */
const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.string({ maxLength: 3 }).filter((name) => name !== '__proto__'),
    tie('value'),
    { maxKeys: 4 },
  ) as fc.Arbitrary<JsonObject>,
}));

test('the patch makes one document of the other, and an empty one leaves it', () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      expect(applyPatch(before, patchOf(before, after))).toEqual(after);
      expect(patchOf(after, after)).toEqual({});
    }),
  );
});

test('only what changed is sent', () => {
  expect(patchOf({ a: 1, b: { c: 2, d: 3 }, e: null }, { a: 1, b: { c: 4 }, f: [1] })).toEqual({
    b: { c: 4, d: null },
    f: [1],
  });
});
