import { expect, test } from 'vitest';

import { headline, subline } from './headline';

const overview = (failed: number, late: number, person = 0, waiting = 0) => ({
  counts: { failed, person, waiting, running: 0 },
  tasks: { open: person, late },
  health: [{ name: 'workers' as const, state: 'well' as const, sentence: '' }],
  engine: { paused: false },
});

test.each([
  [overview(12, 3), '12 runs failed and 3 tasks are late', 'Everything else moves by itself.'],
  [overview(1, 0), '1 run failed', 'Everything else moves by itself.'],
  [overview(0, 1), '1 task is late', 'Everything else moves by itself.'],
  [overview(0, 0, 1), 'Nothing needs you', '1 run waits for people.'],
  [overview(0, 0, 0, 4), 'Nothing needs you', '4 runs on the way.'],
  [overview(0, 0), 'Nothing needs you', 'No run is on its way.'],
])('%j', (given, title, below) => {
  expect(headline(given)).toBe(title);
  expect(subline(given)).toBe(below);
});

test('jobs without a worker and a pause are no things that move by themselves', () => {
  const busy = overview(1, 0);
  const health = [{ name: 'workers' as const, state: 'look' as const, sentence: '121 jobs wait' }];
  expect(subline({ ...busy, health })).toBe('Jobs wait, and no worker takes them.');
  expect(subline({ ...busy, engine: { paused: true } })).toBe('Starts are paused: new runs wait.');
});
