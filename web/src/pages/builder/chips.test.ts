import { expect, test } from 'vitest';

import { refuseAddress } from './chips';

test.each([
  ['ann@example.org', true],
  ['Ann Miller <ann@example.org>', true],
  ['{{ trigger.payload.email }}', true],
  ['shop', false],
  ['ann@', false],
  ['@example.org', false],
  ['ann miller@example.org', false],
  ['a@b@c', false],
  ['Ann <ann>', false],
])('%s can get a message: %s', (text, can) => {
  expect(refuseAddress(text) === null).toBe(can);
});
