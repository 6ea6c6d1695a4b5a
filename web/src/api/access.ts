/* api/access.ts — users, keys, grants, issuers and tenants; refusals, and why somebody may do something or not. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { call } from './client';

interface Made {
  readonly created?: string;
  /** The person who made it. */
  readonly by?: string;
}

export interface User extends Made {
  readonly name: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly state: 'active' | 'disabled';
  readonly lastUsed?: string;
}

export interface Key extends Made {
  readonly id: string;
  readonly name: string;
  readonly tenant?: string;
  readonly roles: readonly string[];
  readonly scopes?: readonly string[];
  readonly actsFor?: boolean;
  readonly expiresAt?: string;
  readonly note?: string;
  readonly state: 'active' | 'revoked' | 'expired';
  readonly lastUsed?: string;
  /** Until then the key before it counts, too. */
  readonly oldUntil?: string;
}

/** The text of a key, which the engine says once. */
export interface NewKey extends Key {
  readonly key: string;
}

export interface Grant extends Made {
  readonly id: string;
  /** "user:ada", "group:sre", "key:ID". */
  readonly to: string;
  readonly role: string;
  readonly tenant?: string;
  readonly scope?: string;
}

export interface Issuer extends Made {
  readonly name: string;
  readonly issuer: string;
  readonly label?: string;
  readonly clientId?: string;
  readonly clientSecretRef?: string;
  readonly audience?: string | readonly string[] | null;
  readonly userClaim?: string;
  readonly tenantClaim?: string;
  readonly groupsClaim?: string;
  readonly rolesClaim?: string;
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  readonly requireGroup?: string;
}

export interface Tenant extends Made {
  readonly name: string;
  readonly label?: string;
  /** `removing`: it goes with everything in it, and nobody finds it any more. */
  readonly state: 'active' | 'suspended' | 'removing';
  readonly quotas?: Readonly<Record<string, number>>;
}

export interface Refusal {
  readonly at: string;
  readonly address?: string;
  readonly asked?: string;
  readonly principal?: string;
  readonly why: string;
}

/** One link of the chain of reasons. */
export interface ExplainedGrant {
  readonly source: string;
  readonly role: string;
  readonly everywhere: boolean;
  readonly scopes?: readonly string[];
  readonly gives: boolean;
  readonly why: string;
}

/** Somebody who is not known at all has no groups, grants or permission to speak of. */
export interface Decision {
  readonly principal: string;
  readonly kind?: string;
  readonly name?: string;
  readonly groups?: readonly string[];
  readonly grants?: readonly ExplainedGrant[];
  readonly permission?: string;
  readonly roles?: readonly string[];
  readonly object?: string;
  readonly allowed: boolean;
  readonly reason: string;
}

export interface Explained {
  /** "POST /v1/instances/{id}/cancel", if it was asked by a path. */
  readonly route?: string;
  readonly decision: Decision;
}

export interface RouteNeed {
  readonly method: string;
  readonly path: string;
  readonly permission: string;
}

/** The kinds of records, by the word in their path. */
export interface Records {
  readonly users: User;
  readonly keys: Key;
  readonly grants: Grant;
  readonly issuers: Issuer;
  readonly tenants: Tenant;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

const PAGE_SIZE = '100';

/** A record's own path: names and ids may have any letter in them. */
const pathOf = (kind: keyof Records, name: string) => `/api/${kind}/${encodeURIComponent(name)}`;

export const recordsQuery = <Kind extends keyof Records>(
  kind: Kind,
  filter: Readonly<Record<string, string>> = {},
) =>
  infiniteQueryOptions({
    queryKey: ['access', kind, filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call<Page<Records[Kind]>>('GET', `/api/${kind}`, {
        query: { ...filter, pageSize: PAGE_SIZE, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  });

export const createRecord = (kind: keyof Records, record: object) =>
  call('POST', `/api/${kind}`, { body: record });

/** Members that the change has not stay as they are; null takes one away. */
export const changeRecord = (kind: keyof Records, name: string, change: object) =>
  call('PATCH', pathOf(kind, name), { body: change });

export const removeRecord = (
  kind: keyof Records,
  name: string,
  query: Readonly<Record<string, string>> = {},
) => call('DELETE', pathOf(kind, name), { query });

/** The first admin, of all tenants. The user comes last: from then on nobody may do anything without signing in. */
export async function createFirstAdmin(user: { readonly name: string }): Promise<void> {
  const to = `user:${user.name}`;
  const grant = await call<Grant>('POST', '/api/grants', { body: { to, role: 'admin', tenant: '*' } });
  try {
    await createRecord('users', user);
  } catch (thrown) {
    await removeRecord('grants', grant.id);
    throw thrown;
  }
}

export const createKey = (key: object) => call<NewKey>('POST', '/api/keys', { body: key });
export const rotateKey = (id: string) => call<NewKey>('POST', `${pathOf('keys', id)}/rotate`);
export const endSessionsOf = (name: string) => call('POST', `${pathOf('users', name)}/end-sessions`);
export const testIssuer = (name: string) => call<unknown>('POST', `${pathOf('issuers', name)}/test`);

export const refusalsQuery = () =>
  queryOptions({
    queryKey: ['access', 'refusals'],
    queryFn: async ({ signal }) =>
      (await call<Page<Refusal>>('GET', '/api/access/refusals', { signal })).items,
  });

/** Asked by a permission and the name of a thing, or by a method and a path. */
export type Question =
  | { readonly permission: string; readonly object: string }
  | { readonly method: string; readonly path: string };

function wordsOf(question: Question): Readonly<Record<string, string>> {
  if ('path' in question) return question;
  return { permission: question.permission, ...(question.object === '' ? {} : { object: question.object }) };
}

export const explainQuery = (principal: string, question: Question) =>
  queryOptions({
    queryKey: ['access', 'explain', principal, question],
    queryFn: ({ signal }) =>
      call<Explained>('GET', '/api/access/explain', { query: { principal, ...wordsOf(question) }, signal }),
    retry: false,
  });

export const routesQuery = () =>
  queryOptions({
    queryKey: ['access', 'routes'],
    queryFn: async ({ signal }) =>
      (await call<{ readonly routes: readonly RouteNeed[] }>('GET', '/api/access/routes', { signal })).routes,
    staleTime: Infinity,
  });
