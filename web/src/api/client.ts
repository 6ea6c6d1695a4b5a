/* api/client.ts — typed calls of the engine. Paths and shapes come from contract/openapi.json (`npm run types`), so a route
 * that changes is a type error here. Each call returns the answer's body or throws a Problem. */
import createClient, { type Client } from 'openapi-fetch';

import { awayProblem, Problem, problemOf } from './problem';
import type { components, paths } from './schema';
import { getToken, setToken } from './token';
import { addWho } from './who';

export type Schemas = components['schemas'];

const listeners = new Set<() => void>();

/** Calls `listener` when the engine asks for a token that we do not have, or no longer takes ours. */
export function onTokenWanted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** As fetch(), with the token and who acts; throws a Problem if the engine cannot be reached or wants another token. */
export async function authorizedFetch(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const token = getToken();
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  addWho(request.headers);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw awayProblem(thrown);
  }
  // Somebody may have given another token while the request was under way.
  if (response.status === 401 && getToken() === token) {
    if (token !== null) setToken(null);
    for (const listener of listeners) listener();
  }
  return response;
}

const client: Client<paths> = createClient<paths>({
  baseUrl: '',
  fetch: (request) => authorizedFetch(request),
});

interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Unwraps an answer of `client`: `await ok(api.GET('/v1/instances/{id}', { params: { path: { id } }, signal }))`. */
export async function ok<Data>(call: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemOf(response.status, error);
  if (data === undefined || data === null)
    throw new Problem(response.status, '', 'The engine gave no answer.', null);
  return data;
}

/** As ok(), for calls whose answer has no body or one that nobody reads. */
export async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw problemOf(response.status, error);
}

export { client as api };
