/* ui/person.ts — who sits before this browser. The engine keeps no list of people: whoever may call it says who acts. The name
 * and the groups are asked once and kept in the browser. */
import { useSyncExternalStore } from 'react';

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

export function getPerson(): Person | null {
  const text = localStorage.getItem(KEY);
  if (text !== cached.text) cached = { text, person: parsePerson(text) };
  return cached.person;
}

export function setPerson(person: Person): void {
  localStorage.setItem(KEY, JSON.stringify(person));
  for (const listener of listeners) listener();
}

export function onPerson(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener); // Another tab has changed it.
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** Null until the person has said who they are. */
export function usePerson(): Person | null {
  return useSyncExternalStore(onPerson, getPerson);
}
