import { afterEach, expect, test } from 'vitest';

import { addWho, headerText, nameCaller } from './who';

afterEach(() => nameCaller(() => null));

const headersOf = (given: Record<string, string> = {}) => {
  const headers = new Headers(given);
  addWho(headers);
  return Object.fromEntries(headers);
};

test('every call names the person and the groups', () => {
  expect(headersOf()).toEqual({});
  nameCaller(() => ({ name: 'ada', groups: ['hr', 'it'] }));
  expect(headersOf()).toEqual({ 'x-actor': 'ada', 'x-groups': 'hr, it' });
  expect(headersOf({ 'X-Actor': 'bob' })).toEqual({ 'x-actor': 'bob', 'x-groups': 'hr, it' });
  nameCaller(() => ({ name: 'eve', groups: [] }));
  expect(headersOf()).toEqual({ 'x-actor': 'eve' });
});

test('a name of any letters travels as its bytes', () => {
  expect(headerText('Zo\u00eb')).toBe('Zo\u00c3\u00ab');
  expect(headerText(' a\r\nb ')).toBe('a  b');
});
