import { expect, test } from 'vitest';

import { endOfDay, groupsOf, holderWords, present, printRoleMap, readList, readRoleMap } from './words';

test('lists of names are read as people type them', () => {
  expect(readList('hr, team leads ,hr,\n it')).toEqual(['hr', 'team leads', 'it']);
  expect(readList('  ')).toEqual([]);
});

test('something new has the members that were filled in', () => {
  expect(present({ name: 'a', note: null, scopes: [], actsFor: false, roles: ['worker'] })).toEqual({
    name: 'a',
    roles: ['worker'],
  });
});

test.each([
  ['user:ada', 'ada, a user'],
  ['group:a:b', 'a:b, a group'],
  ['key:7Hq', '7Hq, a key'],
  ['else', 'else'],
])('%s is %s', (to, words) => expect(holderWords(to)).toBe(words));

test('a day is meant with its evening', () => {
  expect(endOfDay('')).toBeNull();
  expect(endOfDay('no day')).toBeNull();
  const end = new Date(endOfDay('2026-05-12') ?? '');
  expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([12, 23, 59]);
});

test('roles of claims go there and back', () => {
  const map = { admin: ['pawl-admins', 'sre'], viewer: ['everybody=all'] };
  expect(readRoleMap(printRoleMap(map))).toEqual(map);
  expect(readRoleMap('\n=x\nadmin=\n')).toEqual({});
});

test('groups come from users and from grants', () => {
  const users = [
    { name: 'ada', groups: ['hr', 'sre'] },
    { name: 'bob', groups: ['hr'] },
  ];
  const grants = [
    { to: 'group:sre', role: 'operator' },
    { to: 'group:ops', role: 'viewer' },
    { to: 'user:ada', role: 'admin' },
  ];
  expect(groupsOf(users, grants)).toEqual([
    { name: 'hr', users: ['ada', 'bob'], roles: [] },
    { name: 'ops', users: [], roles: ['viewer'] },
    { name: 'sre', users: ['ada'], roles: ['operator'] },
  ]);
});
