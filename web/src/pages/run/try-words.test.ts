import { expect, test } from 'vitest';

import { sayTry } from './try-words';

const one = { number: 1, at: '2026-11-19T12:00:00Z' };

test('a try says why it failed, and else how it ended', () => {
  expect(sayTry({ ...one, outcome: 'failed', error: 'closed' })).toBe('closed');
  expect(sayTry({ ...one, outcome: 'failed' })).toBe('failed; no reason was given');
  expect(sayTry({ ...one, outcome: 'failed', error: '' })).toBe('failed; no reason was given');
  expect(sayTry({ ...one, outcome: 'completed' })).toBe('went well');
  expect(sayTry({ ...one, outcome: 'open' })).toBe('is not over');
  expect(sayTry({ ...one, outcome: 'cancelled' })).toBe('was cancelled');
});
