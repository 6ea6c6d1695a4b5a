// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { authorizedFetch, onTokenWanted } from './client';
import { getToken, setToken } from './token';

/** A fetch whose answers the test gives, one after the other. */
function answers(): ((status: number) => void)[] {
  const pending: ((status: number) => void)[] = [];
  vi.stubGlobal(
    'fetch',
    () => new Promise<Response>((done) => pending.push((status) => done(new Response('', { status })))),
  );
  return pending;
}

const wanted = vi.fn();
let stop = () => {};

beforeEach(() => {
  stop = onTokenWanted(wanted);
});

afterEach(() => {
  stop();
  wanted.mockReset();
  vi.unstubAllGlobals();
  setToken(null);
});

test('a token that is refused is asked for again', async () => {
  const answer = answers();
  setToken('wrong');
  const call = authorizedFetch('http://localhost/v1/instances');
  answer[0]?.(401);
  await call;
  expect(wanted).toHaveBeenCalledOnce();
  expect(getToken()).toBeNull();
});

test('an answer to an earlier token asks for nothing', async () => {
  const answer = answers();
  setToken('wrong');
  const call = authorizedFetch('http://localhost/v1/instances');
  setToken('right');
  answer[0]?.(401);
  await call;
  expect(wanted).not.toHaveBeenCalled();
  expect(getToken()).toBe('right');
});

test('without a token one is asked for', async () => {
  const answer = answers();
  const call = authorizedFetch('http://localhost/v1/instances');
  answer[0]?.(401);
  await call;
  expect(wanted).toHaveBeenCalledOnce();
});
