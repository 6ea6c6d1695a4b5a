import { expect, test } from 'vitest';

import { begunAnswer, forgetAnswer, keepAnswer } from './answers';

test('each person and task has an answer of its own, until it is sent', () => {
  keepAnswer({ person: 'ada', taskId: '1', draft: 'a', decision: 'yes' });
  keepAnswer({ person: 'ada', taskId: '2', draft: 'b', decision: undefined });
  keepAnswer({ person: 'bob', taskId: '1', draft: 'c', decision: undefined });
  keepAnswer({ person: 'ada', taskId: '1', draft: 'd', decision: 'no' });
  expect(begunAnswer('ada', '1')).toMatchObject({ draft: 'd', decision: 'no' });
  expect(begunAnswer('bob', '1')?.draft).toBe('c');
  forgetAnswer('ada', '1');
  expect(begunAnswer('ada', '1')).toBeUndefined();
  expect(begunAnswer('ada', '2')?.draft).toBe('b');
});

test('the oldest answers go when there are too many', () => {
  for (let number = 0; number < 60; number++)
    keepAnswer({ person: 'cleo', taskId: String(number), draft: '', decision: undefined });
  expect(begunAnswer('cleo', '0')).toBeUndefined();
  expect(begunAnswer('cleo', '59')).toBeDefined();
});
