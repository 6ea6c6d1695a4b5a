/* ui/may.ts — what whoever is signed in may do. The one place that decides what the application offers. */
import { useCallback, useSyncExternalStore } from 'react';

import { getMe, isOpen, type Me, onMe } from '../api/me';
import type { Permission } from './permissions';

export type May = (permission: Permission) => boolean;

export const mayOf =
  (me: Me | null): May =>
  (permission) =>
    isOpen(me) || me?.permissions.includes(permission) === true;

export function useMe(): Me | null {
  return useSyncExternalStore(onMe, getMe, getMe);
}

export function useMay(): May {
  const me = useMe();
  return useCallback((permission: Permission) => mayOf(me)(permission), [me]);
}
