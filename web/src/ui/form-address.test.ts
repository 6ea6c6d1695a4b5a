import { expect, test } from 'vitest';

import { formAddress, formCurl } from './form-address';

test('the address names the tenant unless it is the default one', () => {
  expect(formAddress('https://p', '', 'leave')).toBe('https://p/forms/leave');
  expect(formAddress('https://p', 'default', 'leave', 'ask')).toBe('https://p/forms/leave/ask');
  expect(formAddress('https://p', 'acme', 'a b/c')).toBe('https://p/t/acme/forms/a%20b%2Fc');
});

test('the line for a terminal has the fields that are needed, and nothing that leaves its quotes', () => {
  const schema = { properties: { who: {}, days: {} }, required: ['who'] };
  expect(formCurl('https://p/forms/x', schema)).toBe("curl 'https://p/forms/x' -d 'who=…'");
  expect(formCurl('https://p/forms/x', { properties: { a: {}, b: {} } })).toBe(
    "curl 'https://p/forms/x' -d 'a=…' -d 'b=…'",
  );
  expect(formCurl('https://p/forms/x', undefined)).toBe("curl 'https://p/forms/x' -X POST");
  expect(formCurl('u', { required: ["a'; rm"] })).toBe(String.raw`curl 'u' -d 'a'\''; rm=…'`);
});
