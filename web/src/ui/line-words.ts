/* ui/line-words.ts — the label of a line in the engine's picture, in the words of the builder. The engine names a way that has no name by
 * its condition as it was written. */
import { sayCondition } from '../flow/say';
import { sayPhrase } from '../texts/engine';

const NOTHING = { steps: [] };
const NO_TYPES = new Map<string, never>();
/** A condition compares or denies something; anything else is a name that somebody gave. */
const CONDITION = /^[^:]*(?:[=<>]|&&|\|\||^!|#\w)/;

/** The line below a name in a picture: "Ask a person", "waits 2 days". */
export const sayCaption = (caption: string): string => sayPhrase('picture', caption) || caption;

/** "#amount > 1000" is "Amount over 1,000"; what it cannot say it leaves as it is. */
export function sayLineLabel(label: string): string {
  return label
    .split('\n')
    .map(
      (part) =>
        (CONDITION.test(part) ? sayCondition(NOTHING, part, NO_TYPES) : null) ??
        (sayPhrase('picture', part) || part),
    )
    .join('\n');
}
