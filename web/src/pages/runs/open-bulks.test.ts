import { expect, test } from 'vitest';

import { bulkWords } from './open-bulks';

const bulk = {
  id: 'b',
  action: 'cancel',
  state: 'running',
  found: 1200,
  done: 3,
  succeeded: 3,
  skipped: 0,
  refused: 0,
  createdAt: '2026-11-18T09:00:00Z',
} as const;

test('a command that is under way says what it does and how far it is', () => {
  expect(bulkWords(bulk)).toBe('Cancelling 1,200 runs: 3 done');
  expect(bulkWords({ ...bulk, action: 'resend', found: 1, state: 'paused' })).toBe(
    'Sending again 1 event: 3 done, paused',
  );
});
