/* api/me.ts — who is signed in, as the engine says it. Calls and views read it from here; only the query below changes it.
 * Nothing that proves who somebody is comes near this page: the browser has it in a cookie that no script can read. */
import { queryOptions } from '@tanstack/react-query';

import { call } from './client';

export interface Me {
  readonly kind: 'user' | 'key' | 'token' | 'network' | 'certificate' | 'nobody';
  readonly name: string;
  /** The id of the session that this page has. */
  readonly session?: string;
  readonly tenant: string;
  readonly tenants: readonly string[];
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly permissions: readonly string[];
}

let me: Me | null = null;
const listeners = new Set<() => void>();

/** Null until the engine has said it, and while it wants somebody to sign in. */
export const getMe = (): Me | null => me;

export function setMe(next: Me | null): void {
  me = next;
  for (const listener of listeners) listener();
}

export function onMe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Nobody has to sign in here, so people say by themselves who they are. */
export const isOpen = (who: Me | null): boolean => who?.kind === 'nobody';

export const meQuery = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: async ({ signal }) => {
      const answer = await call<Me>('GET', '/api/me', { signal });
      // The same answer again is no news for those who listen.
      if (JSON.stringify(answer) !== JSON.stringify(me)) setMe(answer);
      return answer;
    },
  });
