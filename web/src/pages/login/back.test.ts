import { expect, test } from 'vitest';

import { backOf, codeOf, formOf } from './back';

test.each([
  ['', '/'],
  ['?back=%2Fruns%3Fstatus%3Dfailed', '/runs?status=failed'],
  ['?back=https%3A%2F%2Fevil.example%2F', '/'],
  ['?back=%2F%2Fevil.example', '/'],
  ['?back=%2F%5Cevil.example', '/'],
  ['?back=javascript%3Aalert(1)', '/'],
  ['?back=%2Flogin%3Fback%3D%2Flogin', '/'],
])('%s leads to %s', (search, back) => expect(backOf(search)).toBe(back));

test.each([
  ['?back=%2Fforms%2Fleave', '/forms/leave'],
  ['?back=%2Ft%2Facme%2Fforms%2Fleave%2Fask', '/t/acme/forms/leave/ask'],
  ['?back=%2Fruns', undefined],
  ['?back=%2F%2Fevil.example%2Fforms%2Fleave', undefined],
  ['?back=https%3A%2F%2Fevil.example%2Fforms%2Fleave', undefined],
  ['?back=%2Ft%2F%2Fevil.example%2Fforms%2Fleave', undefined],
  ['', undefined],
])('%s comes from the form %s', (search, form) => expect(formOf(search)).toBe(form));

test('the code of the first admin is behind the #', () => {
  expect(codeOf('#setup=aB3')).toBe('aB3');
  expect(codeOf('')).toBe('');
  expect(codeOf('#page')).toBe('');
});
