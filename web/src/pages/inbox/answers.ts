/* pages/inbox/answers.ts — answers that somebody has begun, by person and task: who looks at another task or loads the page again finds
 * what they had typed. They are kept for this session of the browser's tab. They go when somebody else sits before it. */
import { useSyncExternalStore } from 'react';

import { isDraft } from '../../ui/form/draft';
import type { Draft } from '../../ui/form/fields';
import { isObject } from '../../ui/form/json';
import { getPerson, onPerson } from '../../ui/person';

export interface BegunAnswer {
  readonly person: string;
  readonly taskId: string;
  readonly draft: Draft;
  readonly decision: string | undefined;
}

/** The oldest goes when there are more. */
const BEGUN_MAX = 50;

const KEY = 'pawl.answers';
/** More than this is kept in memory only. */
const KEPT_MAX = 1_000_000;

function isBegun(value: unknown): value is BegunAnswer {
  if (!isObject(value)) return false;
  const { person, taskId, draft, decision } = value;
  const isNamed = typeof person === 'string' && typeof taskId === 'string';
  return isNamed && isDraft(draft) && (decision === undefined || typeof decision === 'string');
}

/** A text that another version of this page wrote, or nobody, is no answer. */
export function parseAnswers(text: string | null): readonly BegunAnswer[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isBegun).slice(-BEGUN_MAX) : [];
  } catch {
    return [];
  }
}

let begun: readonly BegunAnswer[] = parseAnswers(sessionStorage.getItem(KEY));
const listeners = new Set<() => void>();

function keep(): void {
  const text = JSON.stringify(begun);
  try {
    if (begun.length > 0 && text.length <= KEPT_MAX) sessionStorage.setItem(KEY, text);
    else sessionStorage.removeItem(KEY);
  } catch {
    sessionStorage.removeItem(KEY); // The browser has no room for it.
  }
}

function put(next: readonly BegunAnswer[]): void {
  begun = next;
  keep();
  for (const listener of listeners) listener();
}

/** The text of one person is not for the next one. Somebody who has to sign in again and is the same goes on. */
onPerson(() => {
  const name = getPerson()?.name;
  if (name !== undefined && begun.some(({ person }) => person !== name))
    put(begun.filter(({ person }) => person === name));
});

const isOf = (person: string, taskId: string) => (answer: BegunAnswer) =>
  answer.person === person && answer.taskId === taskId;

export function begunAnswer(person: string, taskId: string): BegunAnswer | undefined {
  return begun.find(isOf(person, taskId));
}

export function keepAnswer(answer: BegunAnswer): void {
  const is = isOf(answer.person, answer.taskId);
  put([...begun.filter((each) => !is(each)), answer].slice(-BEGUN_MAX));
}

export function forgetAnswer(person: string, taskId: string): void {
  if (begunAnswer(person, taskId) !== undefined) put(begun.filter((each) => !isOf(person, taskId)(each)));
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** All that have been begun and not sent. */
export function useBegunAnswers(): readonly BegunAnswer[] {
  return useSyncExternalStore(listen, () => begun);
}
