/* pages/tables/cells.ts — the cells of a decision table, in three forms:
 *
 *     what the document has              what it means                  what people see and type
 *     "creditScore < 500"                tests of a field               "< 500"
 *     "tier in ['A', 'B']"               one of several values          "A, B"
 *     "x > 1 && y < 2"                   a formula                      "= x > 1 && y < 2"
 *     nothing, or a blank                any value                      ""
 *
 * read(show(cell)) is the cell, and parse(print(field, cell)) is the field and the cell. */
import { isList, isObject, type Json, parseJson, printJson } from '../../flow/json';
import { type Literal, printLiteral, readLiteral, showLiteral, splitOutside } from './literals';

export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export interface Test {
  readonly op: Comparison;
  readonly value: Literal;
}

export type Cell =
  | { readonly kind: 'any' }
  | { readonly kind: 'tests'; readonly tests: readonly Test[] }
  | { readonly kind: 'oneOf'; readonly values: readonly Literal[] }
  | { readonly kind: 'formula'; readonly text: string };

const ANY: Cell = { kind: 'any' };

/* ---- the document ---- */

const FIELD = String.raw`#?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*`;
const VALUE = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false`;
const TEST = new RegExp(String.raw`\s*(${FIELD})\s*(==|!=|<=|>=|<|>)\s*(${VALUE})\s*`, 'y');
const ONE_OF = new RegExp(String.raw`^\s*(${FIELD})\s+in\s*\[((?:\s*(?:${VALUE})\s*,?)*)\]\s*$`);
const EACH_VALUE = new RegExp(VALUE, 'g');
const JOIN = /&&|and\b/y;

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
};

function literalOf(text: string): Literal {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^['"]/.test(text)) return Number(text);
  return text
    .slice(1, -1)
    .replaceAll(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, escape: string) =>
      escape.length === 5 ? String.fromCharCode(parseInt(escape.slice(1), 16)) : (ESCAPES[escape] ?? escape),
    );
}

export interface Parsed {
  /** The value that the cell looks at; empty: it does not tell. */
  readonly field: string;
  readonly cell: Cell;
}

function parseTests(text: string): Parsed | null {
  const tests: Test[] = [];
  let field = '';
  for (let at = 0; ;) {
    TEST.lastIndex = at;
    const found = TEST.exec(text);
    const op = COMPARISONS.find((each) => each === found?.[2]);
    if (found === null || op === undefined || (field !== '' && found[1] !== field)) return null;
    field = found[1] ?? '';
    tests.push({ op, value: literalOf(found[3] ?? '') });
    at = TEST.lastIndex;
    if (at === text.length) return { field, cell: { kind: 'tests', tests } };
    JOIN.lastIndex = at;
    const join = JOIN.exec(text);
    if (join === null) return null;
    at = JOIN.lastIndex;
  }
}

/** Reads what the document has. */
export function parseCell(value: Json | undefined): Parsed {
  const text = typeof value === 'string' ? value : value === undefined ? '' : printJson(value);
  if (text.trim() === '') return { field: '', cell: ANY };
  const found = ONE_OF.exec(text);
  if (found !== null) {
    const values = [...(found[2] ?? '').matchAll(EACH_VALUE)].map(([each]) => literalOf(each));
    if (values.length > 1) return { field: found[1] ?? '', cell: { kind: 'oneOf', values } };
  }
  return parseTests(text) ?? { field: '', cell: { kind: 'formula', text } };
}

/** The text that the document will have; a blank stands for any value. */
export function printCell(field: string, cell: Cell): string {
  switch (cell.kind) {
    case 'any':
      return '';
    case 'formula':
      return cell.text;
    case 'oneOf':
      return `${field} in [${cell.values.map(printLiteral).join(', ')}]`;
    case 'tests':
      return cell.tests.map(({ op, value }) => `${field} ${op} ${printLiteral(value)}`).join(' && ');
  }
}

/* ---- people ---- */

const SIGNS: { readonly [K in Comparison]: string } = {
  '==': '',
  '!=': 'not ',
  '<=': '≤ ',
  '>=': '≥ ',
  '<': '< ',
  '>': '> ',
};

export function showCell(cell: Cell): string {
  switch (cell.kind) {
    case 'any':
      return '';
    case 'formula':
      return `= ${cell.text}`;
    case 'oneOf':
      return cell.values.map(showLiteral).join(', ');
    case 'tests':
      return cell.tests.map(({ op, value }) => SIGNS[op] + showLiteral(value)).join(' and ');
  }
}

const SPOKEN: readonly (readonly [RegExp, Comparison])[] = [
  [/^(<=|≤|at most\b)\s*/i, '<='],
  [/^(>=|≥|at least\b)\s*/i, '>='],
  [/^(!=|not\b)\s*/i, '!='],
  [/^(<|less than\b)\s*/i, '<'],
  [/^(>|more than\b)\s*/i, '>'],
  [/^is\b\s*/i, '=='],
];

function readTest(text: string): readonly Test[] {
  const entry = text.trim();
  const range = splitOutside(entry, /\s+to\s+|\s*\.\.\s*/y);
  const [from, to] = range.map(readLiteral);
  if (range.length === 2 && typeof from === 'number' && typeof to === 'number')
    return [
      { op: '>=', value: from },
      { op: '<=', value: to },
    ];
  for (const [pattern, op] of SPOKEN) {
    const found = pattern.exec(entry);
    if (found !== null && found[0].length < entry.length)
      return [{ op, value: readLiteral(entry.slice(found[0].length)) }];
  }
  return [{ op: '==', value: readLiteral(entry) }];
}

/** Reads what a person typed or pasted. */
export function readCell(text: string): Cell {
  const entry = text.trim();
  if (entry === '' || entry === '-' || entry === '–') return ANY;
  if (entry.startsWith('=') && !entry.startsWith('=='))
    return entry.length > 1 ? { kind: 'formula', text: entry.slice(1).trim() } : ANY;
  const joined = splitOutside(entry, /\s+and\s+/y);
  if (joined.length === 1) {
    const values = splitOutside(entry, /\s*,\s*/y);
    if (values.length > 1 && values.every((each) => each.trim() !== ''))
      return { kind: 'oneOf', values: values.map(readLiteral) };
  }
  return { kind: 'tests', tests: joined.flatMap(readTest) };
}

/* ---- results ---- */

const FORMULA = /^\$\{([\s\S]*)\}$/;

/** A result as people see it: a formula begins with `=`. */
export function showResult(value: Json | undefined): string {
  if (value === undefined || value === '') return '';
  if (value === null) return 'nothing';
  if (typeof value === 'object') return printJson(value);
  if (typeof value !== 'string') return showLiteral(value);
  const formula = FORMULA.exec(value)?.[1];
  if (formula !== undefined) return `= ${formula}`;
  const isPlain =
    !/^[=["{]|^\s|\s$/.test(value) && value.toLowerCase() !== 'nothing' && readLiteral(value) === value;
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/** Undefined: the rule does not set it. */
export function readResult(text: string): Json | undefined {
  const entry = text.trim();
  if (entry === '') return undefined;
  if (entry.startsWith('=')) return `\${${entry.slice(1).trim()}}`;
  if (entry.toLowerCase() === 'nothing') return null;
  if (/^[[{]/.test(entry)) {
    const outcome = parseJson(entry);
    if (outcome.ok && (isObject(outcome.value) || isList(outcome.value))) return outcome.value;
  }
  return readLiteral(entry);
}
