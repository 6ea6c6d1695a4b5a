/* pages/inbox/answers.ts — answers that somebody has begun, by person and task. They are kept in memory while the page is open:
 * who looks at another task and comes back finds what they had typed. */
import { useSyncExternalStore } from 'react';

import type { Draft } from '../../ui/form/fields';

export interface BegunAnswer {
  readonly person: string;
  readonly taskId: string;
  readonly draft: Draft;
  readonly decision: string | undefined;
}

/** The oldest goes when there are more. */
const BEGUN_MAX = 50;

let begun: readonly BegunAnswer[] = [];
const listeners = new Set<() => void>();

function put(next: readonly BegunAnswer[]): void {
  begun = next;
  for (const listener of listeners) listener();
}

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
