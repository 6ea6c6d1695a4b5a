/* ui/person.ts — the person that tasks are for: whoever is signed in. Where nobody signs in, whoever may call the engine says who acts;
 * the name and the groups are asked once and kept in the browser. */
import { useSyncExternalStore } from 'react';

import { getMe, isOpen, type Me, onMe } from '../api/me';

export interface Person {
  readonly name: string;
  readonly groups: readonly string[];
}

const KEY = 'pawl.person';
const listeners = new Set<() => void>();
let cached: { readonly text: string | null; readonly person: Person | null } = { text: null, person: null };

export function parsePerson(text: string | null): Person | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const name: unknown = Reflect.get(value, 'name');
    const groups: unknown = Reflect.get(value, 'groups');
    if (typeof name !== 'string' || name === '') return null;
    return {
      name,
      groups: Array.isArray(groups) ? groups.filter((one) => typeof one === 'string' && one !== '') : [],
    };
  } catch {
    return null;
  }
}

/** "HR, team leads ,HR" names two groups. */
export function readGroups(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

/** The person that was asked for a name, where nobody signs in. */
export function getSaidPerson(): Person | null {
  if (!isOpen(getMe())) return null;
  const text = localStorage.getItem(KEY);
  if (text !== cached.text) cached = { text, person: parsePerson(text) };
  return cached.person;
}

let signedIn: { readonly me: Me | null; readonly person: Person | null } = { me: null, person: null };

export function getPerson(): Person | null {
  const me = getMe();
  if (me === null || isOpen(me)) return getSaidPerson();
  // The same object for the same answer: views compare it.
  if (me !== signedIn.me) signedIn = { me, person: { name: me.name, groups: me.groups } };
  return signedIn.person;
}

export function setPerson(person: Person): void {
  localStorage.setItem(KEY, JSON.stringify(person));
  for (const listener of listeners) listener();
}

export function onPerson(listener: () => void): () => void {
  listeners.add(listener);
  const stopMe = onMe(listener);
  window.addEventListener('storage', listener); // Another tab has changed it.
  return () => {
    listeners.delete(listener);
    stopMe();
    window.removeEventListener('storage', listener);
  };
}

/** Null until it is known who sits here. */
export function usePerson(): Person | null {
  return useSyncExternalStore(onPerson, getPerson);
}
