/* ui/line-words.ts — the label of a line in the engine's picture, in the words of the builder. The engine names a way that has no name by
 * its condition as it was written. */
import { sayCondition } from '../flow/say';

const NOTHING = { steps: [] };
const NO_TYPES = new Map<string, never>();
/** A condition compares or denies something; anything else is a name that somebody gave. */
const CONDITION = /^[^:]*(?:[=<>]|&&|\|\||^!|#\w)/;

/** "#amount > 1000" is "Amount over 1,000"; what it cannot say it leaves as it is. */
export function sayLineLabel(label: string): string {
  return label
    .split('\n')
    .map((part) => (CONDITION.test(part) ? (sayCondition(NOTHING, part, NO_TYPES) ?? part) : part))
    .join('\n');
}
