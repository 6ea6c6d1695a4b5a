/* pages/entities/refusal.ts — why the engine refused to write an entity, for people. */
import { asProblem } from '../../api/problem';
import { t } from '../../texts/entities';

/** Whether the entity has changed since this page read it. */
export function isStale(thrown: unknown): boolean {
  return asProblem(thrown).status === 412;
}

/** The engine's words without the code in front, which is for programs. */
export function refusalOf(thrown: unknown): string {
  const { message } = asProblem(thrown);
  if (isStale(thrown)) return t.somebodyElseChanged;
  const words = message.replace(/^[A-Z][A-Z_]+: /, '');
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?)]$/.test(sentence) ? sentence : `${sentence}.`;
}
