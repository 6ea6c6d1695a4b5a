/* flow/steps/values.ts — values of the steps format: a text that stands in `${…}` is a formula, everything else is what it says. */
import type { Json } from '../json';
import { t } from '../../texts/flow';

export const VALUE_KINDS = [
  { kind: 'text', word: t.kindText },
  { kind: 'number', word: t.kindNumber },
  { kind: 'yesNo', word: t.kindYesNo },
  { kind: 'formula', word: t.kindFormula },
] as const;

export type ValueKind = (typeof VALUE_KINDS)[number]['kind'] | 'other';

export function kindOfValue(value: Json | undefined): ValueKind {
  if (typeof value === 'string') return value.startsWith('${') && value.endsWith('}') ? 'formula' : 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'yesNo';
  return 'other';
}

/** The text that a field shows of a value. */
export function wordOfValue(value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return kindOfValue(value) === 'formula' ? value.slice(2, -1).trim() : value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The value of a kind that a word stands for; a word that is no number is a text. */
export function valueOfKind(kind: string, word: string): Json {
  switch (kind) {
    case 'number': {
      const number = Number(word.replaceAll(',', ''));
      return word.trim() !== '' && Number.isFinite(number) ? number : kindIsLost(word);
    }
    case 'yesNo':
      return word === 'true' || word === 'yes';
    case 'formula':
      return `\${${word}}`;
    default:
      return word;
  }
}

const kindIsLost = (word: string): Json => (word.trim() === '' ? 0 : word);
