// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';

import { type Me, setMe } from '../../api/me';
import { setPerson } from '../../ui/person';
import { begunAnswer, forgetAnswer, keepAnswer, parseAnswers } from './answers';

const NOBODY: Me = {
  kind: 'nobody',
  name: '',
  tenant: 'default',
  tenants: ['default'],
  roles: [],
  groups: [],
  permissions: [],
};

beforeEach(() => setMe(NOBODY));

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

const kept = () => parseAnswers(sessionStorage.getItem('pawl.answers'));

test('answers survive a reload, and go with the person', () => {
  setPerson({ name: 'ada', groups: [] });
  const draft = { members: { note: 'Not in <b>July</b>', days: ['1', '2'], odd: { raw: '{' } }, rest: {} };
  keepAnswer({ person: 'ada', taskId: '1', draft, decision: 'no' });
  expect(kept().at(-1)).toEqual({ person: 'ada', taskId: '1', draft, decision: 'no' });
  setPerson({ name: 'ada', groups: ['HR'] });
  expect(kept()).toHaveLength(1);
  setPerson({ name: 'bob', groups: [] });
  expect(kept()).toEqual([]);
  expect(begunAnswer('ada', '1')).toBeUndefined();
  expect(sessionStorage.getItem('pawl.answers')).toBeNull();
});

test('who has to sign in again keeps them, somebody else does not get them', () => {
  setMe({ ...NOBODY, kind: 'user', name: 'ada' });
  keepAnswer({ person: 'ada', taskId: '1', draft: 'a', decision: undefined });
  setMe(null);
  setMe({ ...NOBODY, kind: 'user', name: 'ada' });
  expect(kept()).toHaveLength(1);
  setMe({ ...NOBODY, kind: 'user', name: 'bob' });
  expect(kept()).toEqual([]);
});

test('what is no answer is left out, and what is too long stays in memory', () => {
  expect(parseAnswers('{"a":1}')).toEqual([]);
  expect(parseAnswers('[')).toEqual([]);
  expect(parseAnswers('[1, {"person": "a", "taskId": "1", "draft": {"members": {"x": 1}}}]')).toEqual([]);
  expect(parseAnswers('[{"person": "a", "taskId": "1", "draft": "x", "decision": 7}]')).toEqual([]);
  keepAnswer({ person: 'ada', taskId: '9', draft: 'x'.repeat(1_100_000), decision: undefined });
  expect(kept()).toEqual([]);
  expect(begunAnswer('ada', '9')).toBeDefined();
});
