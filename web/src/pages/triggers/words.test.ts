import fc from 'fast-check';
import { expect, test } from 'vitest';

import { countArrivals, parsePlace, printPlace, SHOWS } from './words';

test('the address keeps the view and the page', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SHOWS), fc.string(), (show, cursor) => {
      expect(parsePlace(printPlace({ show, cursor }))).toEqual({ show, cursor });
    }),
  );
  expect(parsePlace('?show=nothing')).toEqual({ show: 'triggers', cursor: '' });
});

test('arrivals that went wrong are counted apart; an unknown outcome counts among all', () => {
  expect(countArrivals({ created: 3, rejected_auth: 2, toString: 1 })).toEqual({ all: 6, wrong: 2 });
  expect(countArrivals({})).toEqual({ all: 0, wrong: 0 });
});
