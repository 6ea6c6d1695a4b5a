import { expect, test } from 'vitest';

import { backOf, codeOf } from './back';

test.each([
  ['', '/'],
  ['?back=%2Fruns%3Fstatus%3Dfailed', '/runs?status=failed'],
  ['?back=https%3A%2F%2Fevil.example%2F', '/'],
  ['?back=%2F%2Fevil.example', '/'],
  ['?back=%2F%5Cevil.example', '/'],
  ['?back=javascript%3Aalert(1)', '/'],
  ['?back=%2Flogin%3Fback%3D%2Flogin', '/'],
])('%s leads to %s', (search, back) => expect(backOf(search)).toBe(back));

test('the code of the first admin is behind the #', () => {
  expect(codeOf('#setup=aB3')).toBe('aB3');
  expect(codeOf('')).toBe('');
  expect(codeOf('#page')).toBe('');
});
