/* api/session.ts — signing in and out, and one's own sessions and password. */
import { queryOptions } from '@tanstack/react-query';

import { call, noteSignIn, openCall } from './client';

/** The ways to sign in that the login page offers. */
export interface LoginWays {
  readonly users: boolean;
  readonly issuers: readonly { readonly name: string; readonly label?: string }[];
  /** Nobody is there yet: the engine has made a link for the first admin. */
  readonly setup: boolean;
}

export interface Session {
  readonly id: string;
  readonly user: string;
  readonly issuer?: string;
  readonly created?: string;
  readonly lastUsed?: string;
  readonly expires?: string;
  readonly address?: string;
  readonly agent?: string;
}

export const loginQuery = () =>
  queryOptions({
    queryKey: ['login'],
    queryFn: ({ signal }) => openCall<LoginWays>('GET', '/api/login', { signal }),
  });

export async function signIn(name: string, password: string): Promise<void> {
  await openCall('POST', '/api/session', { body: { name, password } });
  noteSignIn();
}

/** The first admin, by the code of the link that the engine made. */
export async function beginAccess(code: string, name: string, password: string): Promise<void> {
  await openCall('POST', '/api/setup', { body: { code, name, password } });
  noteSignIn();
}

export const signOut = (): Promise<unknown> => openCall('DELETE', '/api/session');

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) =>
      (await call<{ items: readonly Session[] }>('GET', '/api/sessions', { signal })).items,
  });

export const endSession = (id: string): Promise<unknown> =>
  call('DELETE', `/api/sessions/${encodeURIComponent(id)}`);

/** Sets a password; whoever changes their own says the old one. */
export const setPassword = (name: string, password: string, old?: string): Promise<unknown> =>
  call('POST', `/api/users/${encodeURIComponent(name)}/password`, {
    body: { password, ...(old === undefined ? {} : { oldPassword: old }) },
  });

/** Where a login by an issuer begins; `back` is a page below /ui/. */
export const issuerStart = (name: string, back: string): string =>
  `/api/oidc/${encodeURIComponent(name)}/start?${new URLSearchParams({ to: back }).toString()}`;
