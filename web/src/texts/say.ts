/* texts/say.ts — what sentences of every language are made with: counts and plurals, lists, units of time, and elements inside of a text. */
import { createElement, Fragment, type ReactNode } from 'react';

import { locale } from './language';

/** A part of a sentence: a text, or an element. */
export type Node = ReactNode;

const NUMBERS = new Intl.NumberFormat(locale);
const PLURALS = new Intl.PluralRules(locale);
const LISTS = {
  and: new Intl.ListFormat(locale, { type: 'conjunction' }),
  or: new Intl.ListFormat(locale, { type: 'disjunction' }),
};

/** 1046 → "1,046". */
export const formatCount = (count: number): string => NUMBERS.format(count);

type Forms = { readonly other: string } & { readonly [Rule in Intl.LDMLPluralRule]?: string };

/** The form of a number, `#` being the number: count(2, { one: '# run', other: '# runs' }) is "2 runs". */
export function count(number: number, forms: Forms): string {
  return (forms[PLURALS.select(number)] ?? forms.other).replaceAll('#', formatCount(number));
}

const ORDINALS = new Intl.PluralRules(locale, { type: 'ordinal' });

/** As count(), for a place in a row: "1st time". */
export function ordinal(number: number, forms: Forms): string {
  return (forms[ORDINALS.select(number)] ?? forms.other).replaceAll('#', formatCount(number));
}

/** ['a', 'b', 'c'] → "a, b and c". */
export function listWords(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  return LISTS[last].format(words);
}

export type TimeUnit = 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

/** "2 days", "1 hour". */
export function countUnits(number: number, unit: TimeUnit): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(number);
}

/** The unit alone: "days" for 2, "day" for 1. */
export function unitWord(number: number, unit: TimeUnit): string {
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.formatToParts(number).find(({ type }) => type === 'unit')?.value ?? unit;
}

/** "3 days ago". */
export function unitsAgo(number: number, unit: 'day'): string {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(-number, unit);
}

/** A sentence with elements in it, wherever the language wants them: rich`By ${who}, ${when}`. */
export function rich(texts: TemplateStringsArray, ...nodes: readonly Node[]): Node {
  return createElement(Fragment, null, ...texts.flatMap((text, i) => [text, nodes[i]]));
}
