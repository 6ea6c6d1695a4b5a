/* pages/tables/literals.ts — texts, numbers, yes and no: as people type them into a cell, and as expressions have them.
 *
 * A text is written as it is; one that would read as something else stands in quotes. */

export type Literal = string | number | boolean;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Texts that mean something else in a cell: comparisons, lists, joined tests, formulas, quotes. */
const SPECIAL =
  /^(=|<|>|≤|≥|!|not\b|is\b|more than\b|less than\b|at least\b|at most\b)|[,"]|\band\b|\bto\b|\.\.|^\s|\s$|^[-–]?$/i;
const WORDS: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };

/** "12.5" is a number, "yes" is yes, anything else a text; quotes make a text of whatever they hold. */
export function readLiteral(text: string): Literal {
  const entry = text.trim();
  if (entry.startsWith('"') && entry.endsWith('"') && entry.length >= 2)
    return entry.slice(1, -1).replaceAll('""', '"');
  const word = WORDS[entry.toLowerCase()];
  if (word !== undefined && Object.hasOwn(WORDS, entry.toLowerCase())) return word;
  if (NUMBER.test(entry) && Number.isFinite(Number(entry))) return Number(entry);
  return entry;
}

export function showLiteral(value: Literal): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  const isPlain = !SPECIAL.test(value) && !NUMBER.test(value) && !Object.hasOwn(WORDS, value.toLowerCase());
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/** As an expression has it. */
export function printLiteral(value: Literal): string {
  if (typeof value !== 'string') return String(value);
  const plain = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `'${plain.replaceAll(/[\u0000-\u001f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

/** Splits at a separator outside of quotes. */
export function splitOutside(text: string, separator: RegExp): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let at = 0; at < text.length;) {
    const sign = text.charAt(at);
    if (sign === '"') isQuoted = !isQuoted;
    separator.lastIndex = at;
    const found = isQuoted ? null : separator.exec(text);
    if (found !== null && found[0] !== '') {
      parts.push(part);
      part = '';
      at += found[0].length;
    } else {
      part += sign;
      at++;
    }
  }
  return [...parts, part];
}
