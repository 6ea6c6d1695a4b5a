/* api/client.ts — typed calls of the engine. Paths and shapes come from contract/openapi.json (`npm run types`), so a route
 * that changes is a type error here. Each call returns the answer's body or throws a Problem. */
import createClient, { type Client } from 'openapi-fetch';

import { t } from '../texts/ui';
import { noteAsked } from './asked';
import { awayProblem, Problem, problemOf } from './problem';
import type { components, paths } from './schema';
import { pageTenant } from './tenant';
import { addWho } from './who';

export type Schemas = components['schemas'];

/** The engine's word about the one who asks, beside the answer: nobody is signed in (any more), or this was not allowed. */
export type Doubt = 'unknown' | 'refused';

const listeners = new Set<(doubt: Doubt) => void>();
let signIns = 0;

export function onDoubt(listener: (doubt: Doubt) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Somebody has signed in: a refusal of an earlier request says nothing about them. */
export function noteSignIn(): void {
  signIns++;
}

/** As fetch(), in the tenant of this page; throws a Problem if the engine cannot be reached. */
export async function plainFetch(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (pageTenant !== '') request.headers.set('X-Pawl-Tenant', pageTenant);
  addWho(request.headers);
  noteAsked(request.method, request.url);
  try {
    return await fetch(request);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw awayProblem(thrown);
  }
}

/** As plainFetch(), and tells when the engine wants somebody to sign in. */
export async function authorizedFetch(input: Request | string, init?: RequestInit): Promise<Response> {
  const before = signIns;
  const response = await plainFetch(input, init);
  const doubt: Doubt | null =
    response.status === 401 ? 'unknown' : response.status === 403 ? 'refused' : null;
  if (doubt !== null && signIns === before) for (const listener of listeners) listener(doubt);
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
    throw new Problem(response.status, '', t.theEngineGaveNoAnswer, null);
  return data;
}

/** As ok(), for calls whose answer has no body or one that nobody reads. */
export async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw problemOf(response.status, error);
}

export interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

function requestOf(method: string, path: string, { query, body, signal }: Asked): Request {
  const search = new URLSearchParams(query).toString();
  return new Request(new URL(search === '' ? path : `${path}?${search}`, location.origin), {
    method,
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

/** A call about access: its answer has the shape that api/me.ts and api/access/ say. Null where the engine gives no body. */
export async function call<Answer>(method: string, path: string, asked: Asked = {}): Promise<Answer> {
  const response = await authorizedFetch(requestOf(method, path, asked));
  const body = await bodyOf(response);
  if (!response.ok) throw problemOf(response.status, body);
  return body as Answer;
}

/** As call(), for whoever is not signed in yet: a refusal is an answer. */
export async function openCall<Answer>(method: string, path: string, asked: Asked = {}): Promise<Answer> {
  const response = await plainFetch(requestOf(method, path, asked));
  const body = await bodyOf(response);
  if (!response.ok) throw problemOf(response.status, body);
  return body as Answer;
}

export { client as api };
