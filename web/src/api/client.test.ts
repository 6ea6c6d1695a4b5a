// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { authorizedFetch, call, noteSignIn, onDoubt, openCall } from './client';

/** A fetch whose answers the test gives, one after the other. */
function answers(): ((status: number) => void)[] {
  const pending: ((status: number) => void)[] = [];
  vi.stubGlobal(
    'fetch',
    () =>
      new Promise<Response>((done) =>
        pending.push((status) => done(new Response(status === 204 ? null : '{"detail": "no"}', { status }))),
      ),
  );
  return pending;
}

const doubted = vi.fn();
let stop = () => {};

beforeEach(() => {
  stop = onDoubt(doubted);
});

afterEach(() => {
  stop();
  doubted.mockReset();
  vi.unstubAllGlobals();
});

test.each([
  [401, 'unknown'],
  [403, 'refused'],
])('an answer %i tells the application', async (status, doubt) => {
  const answer = answers();
  const asked = authorizedFetch('http://localhost/v1/instances');
  answer[0]?.(status);
  await asked;
  expect(doubted).toHaveBeenCalledExactlyOnceWith(doubt);
});

test('a refusal from before somebody signed in tells nothing', async () => {
  const answer = answers();
  const asked = authorizedFetch('http://localhost/v1/instances');
  noteSignIn();
  answer[0]?.(401);
  await asked;
  expect(doubted).not.toHaveBeenCalled();
});

test('a wrong password is an answer, not a reason to sign in', async () => {
  const answer = answers();
  const asked = openCall('POST', '/api/session', { body: { name: 'ada', password: 'x' } });
  answer[0]?.(401);
  await expect(asked).rejects.toMatchObject({ status: 401, message: 'no' });
  expect(doubted).not.toHaveBeenCalled();
});

test('an answer without a body is null', async () => {
  const answer = answers();
  const asked = call('DELETE', '/api/session');
  answer[0]?.(204);
  expect(await asked).toBeNull();
});

test('nothing of this page is kept where a script could read it', () => {
  expect(Object.keys(sessionStorage)).toEqual([]);
  expect(Object.keys(localStorage)).toEqual([]);
});
