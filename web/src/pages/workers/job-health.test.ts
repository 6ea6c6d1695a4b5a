import { expect, test } from 'vitest';

import type { JobType } from '../../api/workers';
import { failureWord, healthOf, rateWords } from './job-health';

const NOW = Date.parse('2026-05-12T12:00:00Z');
const JOB: JobType = {
  jobType: 'pay',
  open: 0,
  leased: 0,
  pollers: 0,
  workers: [],
  doneLastHour: 0,
  failedLastHour: 0,
};

test.each<[string, Partial<JobType>, string]>([
  ['nothing to do, nobody there', {}, 'No worker'],
  ['nothing to do, somebody polls', { pollers: 1 }, 'Ready'],
  ['jobs and nobody', { open: 3, oldestAt: '2026-05-12T11:59:59Z' }, 'Nobody takes them'],
  [
    'a worker that went long ago',
    { open: 3, workers: [{ workerId: 'w', lastSeenAt: '2026-05-12T11:00:00Z' }] },
    'Nobody takes them',
  ],
  ['jobs in work', { open: 3, leased: 3 }, 'At work'],
  ['late', { open: 3, leased: 1, oldestAt: '2026-05-12T11:50:00Z' }, 'Behind by 10 min'],
])('%s', (_, over, word) => {
  expect(healthOf({ ...JOB, ...over }, NOW).word).toBe(word);
});

test.each([
  [0, 0, ''],
  [10, 0, '0 %'],
  [999, 1, '< 1 %'],
  [0, 4, '100 %'],
])('%i done, %i failed: "%s"', (done, failed, word) => {
  expect(failureWord(done, failed)).toBe(word);
});

test.each([
  [0, 0, 'Nothing was done.'],
  [1200, 0, '1,200 done, none failed.'],
  [3, 1, '3 done, 1 failed: one try in 4.'],
  [0, 4, '0 done, 4 failed: every try.'],
  [1, 9, '1 done, 9 failed: nearly every try.'],
])('%i done, %i failed: %s', (done, failed, words) => {
  expect(rateWords(done, failed)).toBe(words);
});
