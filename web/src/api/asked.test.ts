import { expect, test } from 'vitest';

import { curlOf } from './asked';

test('a request is a line for a shell, and nothing in it can end its quotes', () => {
  expect(curlOf('http://h/api/x?a=1', { isLocked: false })).toBe("curl -sS 'http://h/api/x?a=1'");
  expect(curlOf('http://h/x', { method: 'DELETE', isLocked: true })).toBe(
    `curl -sS -X DELETE -H "Authorization: Bearer $PAWL_TOKEN" 'http://h/x'`,
  );
  const body = { type: 'application/json', text: `{"a":"it's $(rm)"}` };
  expect(curlOf('http://h/x', { method: 'POST', body, isLocked: false })).toBe(
    String.raw`curl -sS -H 'Content-Type: application/json' -d '{"a":"it'\''s $(rm)"}' 'http://h/x'`,
  );
});
