/* flow/steps/expression.ts — conditions of the steps format ↔ rows of three drop-downs.
 *
 *     amount > 1000 && status == "open"  ↔  Amount | is more than | 1000    Status | is | open    all fit
 *
 * An expression that rows cannot show is left as it is; rowsOfExpression says so by null. */
import { type Operator, type Row, type Rows } from '../condition';
import { isList, type Json } from '../json';
import { onlyPath, type Path, readInner, templateOf } from '../template';
import { t } from '../../texts/flow';

type Token =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'sign'; readonly sign: string };

const LENGTH_MAX = 4096;
const PATH = /^(?:#|\$\{\s*)?([A-Za-z_][\w]*(?:\.[A-Za-z_]\w*|\[\d{1,9}\]|\["(?:[^"\\]|\\.)*"\])*)/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?(?![\w.])/;
const TEXT = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/;
const SIGN = /^(?:\$env\b(?![.[])|&&|\|\||==|!=|>=|<=|>|<|!|\(|\)|\[|\]|,)/;
const WORDS = ['and', 'or', 'not', 'in', t.contains, 'startsWith', 'endsWith', 'matches'];
const RESERVED = new Set([...WORDS, 'true', 'false', 'null', 'nil', 'let', 'if', 'else']);
const CONSTANTS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
]);

function readText(quoted: RegExpExecArray): string | null {
  // Escapes are those of JSON; in single quotes a double one stands for itself.
  const inner =
    quoted[1] ??
    (quoted[2] ?? '').replace(/\\.|"/g, (sign) => (sign === '"' ? '\\"' : sign === "\\'" ? "'" : sign));
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return null;
  }
}

/* One token at the beginning of a text, and how long it is. */
function nextToken(rest: string): { readonly token: Token; readonly length: number } | null {
  const number = NUMBER.exec(rest);
  if (number !== null)
    return { token: { kind: 'value', value: Number(number[0]) }, length: number[0].length };
  const quoted = TEXT.exec(rest);
  if (quoted !== null) {
    const value = readText(quoted);
    return value === null ? null : { token: { kind: 'value', value }, length: quoted[0].length };
  }
  const sign = SIGN.exec(rest);
  if (sign !== null) return { token: { kind: 'sign', sign: sign[0] }, length: sign[0].length };
  const found = PATH.exec(rest);
  const name = found?.[1];
  if (found === null || name === undefined) return null;
  if (found[0] === name && WORDS.includes(name))
    return { token: { kind: 'sign', sign: name }, length: name.length };
  const constant = found[0] === name ? CONSTANTS.get(name) : undefined;
  if (constant !== undefined) return { token: { kind: 'value', value: constant }, length: name.length };
  if (['null', 'nil', 'let', 'if', 'else'].includes(name)) return null;
  const isBraced = found[0].startsWith('${');
  const close = isBraced ? /^\s*\}/.exec(rest.slice(found[0].length)) : null;
  const path = readInner(name)?.path;
  if (path === undefined || (isBraced && close === null)) return null;
  return { token: { kind: 'path', path }, length: found[0].length + (close?.[0].length ?? 0) };
}

function tokensOf(text: string): readonly Token[] | null {
  const tokens: Token[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const next = nextToken(rest);
    if (next === null) return null;
    tokens.push(next.token);
    rest = rest.slice(next.length).trimStart();
  }
  return tokens;
}

const OPS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', 'eq'],
  ['!=', 'neq'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  [t.contains, 'contains'],
  ['startsWith', 'starts_with'],
  ['in', 'in'],
]);
const SIGNS: ReadonlyMap<Operator, string> = new Map([...OPS].map(([sign, op]) => [op, sign]));

const isSign = (token: Token | undefined, ...signs: readonly string[]) =>
  token?.kind === 'sign' && signs.includes(token.sign);

/* `len(x) == 0` and `len(x) > 0` say that something is empty or filled in. */
function lengthRow(tokens: readonly Token[]): Row | null {
  const [len, open, path, close, sign, zero, ...rest] = tokens;
  const isLength =
    len?.kind === 'path' &&
    len.path.length === 1 &&
    len.path[0] === 'len' &&
    isSign(open, '(') &&
    isSign(close, ')');
  if (!isLength || path?.kind !== 'path' || zero?.kind !== 'value' || zero.value !== 0 || rest.length > 0)
    return null;
  const left = templateOf(path.path);
  if (isSign(sign, '==')) return { left, op: 'is_empty', right: undefined };
  return isSign(sign, '>', '!=') ? { left, op: 'is_not_empty', right: undefined } : null;
}

/* `"x" in $env`: whether a variable is there. */
function presenceRow([name, ...rest]: readonly Token[]): Row | null {
  if (name?.kind !== 'value' || typeof name.value !== 'string' || !NAME.test(name.value)) return null;
  const signs = rest.map((token) => (token.kind === 'sign' ? token.sign : ''));
  const left = templateOf([name.value]);
  if (signs.join(' ') === 'in $env') return { left, op: 'exists', right: undefined };
  return signs.join(' ') === 'not in $env' ? { left, op: 'not_exists', right: undefined } : null;
}

function listRow(left: string, tokens: readonly Token[]): Row | null {
  const inner = tokens.slice(1, -1);
  if (!isSign(tokens[0], '[') || !isSign(tokens.at(-1), ']') || inner.length % 2 === 0) return null;
  const values: Json[] = [];
  for (const [i, token] of inner.entries()) {
    if (i % 2 === 1 ? !isSign(token, ',') : token.kind !== 'value') return null;
    if (token.kind === 'value') values.push(token.value);
  }
  return { left, op: 'in', right: values };
}

function rowOf(tokens: readonly Token[]): Row | null {
  const [first, sign, right, ...rest] = tokens;
  if (isSign(first, '!', 'not') && sign?.kind === 'path' && right === undefined)
    return { left: templateOf(sign.path), op: 'is_false', right: undefined };
  const special = lengthRow(tokens) ?? presenceRow(tokens);
  if (special !== null) return special;
  if (first?.kind !== 'path') return null;
  const left = templateOf(first.path);
  if (sign === undefined) return { left, op: 'is_true', right: undefined };
  const op = sign.kind === 'sign' ? OPS.get(sign.sign) : undefined;
  if (op === undefined) return null;
  if (op === 'in') return listRow(left, tokens.slice(2));
  if (right === undefined || right.kind === 'sign' || rest.length > 0) return null;
  if (right.kind === 'path') return { left, op, right: templateOf(right.path) };
  const { value } = right;
  if (typeof value === 'boolean')
    return op === 'eq' || op === 'neq'
      ? { left, op: value === (op === 'eq') ? 'is_true' : 'is_false', right: undefined }
      : null;
  // A text that looks like a pill would come back as one.
  return typeof value === 'string' && value.includes('{{') ? null : { left, op, right: value };
}

/* Tokens between the signs that join rows; null: brackets are round more than one row. */
function split(tokens: readonly Token[], signs: readonly string[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (isSign(token, '(', '[')) depth++;
    if (isSign(token, ')', ']')) depth--;
    if (depth === 0 && isSign(token, ...signs)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function unwrap(tokens: readonly Token[]): readonly Token[] {
  if (!isSign(tokens[0], '(') || !isSign(tokens.at(-1), ')')) return tokens;
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (isSign(token, '(')) depth++;
    if (isSign(token, ')')) depth--;
    if (depth === 0 && i < tokens.length - 1) return tokens;
  }
  return tokens.slice(1, -1);
}

/** The rows that say the same as an expression; null: no rows can. */
export function rowsOfExpression(expression: Json | undefined): Rows | null {
  if (expression === undefined) return { join: 'all', rows: [] };
  if (typeof expression !== 'string' || expression.length > LENGTH_MAX) return null;
  if (expression.trim() === '') return { join: 'all', rows: [] };
  const tokens = tokensOf(expression);
  if (tokens === null) return null;
  const all = unwrap(tokens);
  const any = split(all, ['||', 'or']);
  const parts = any.length > 1 ? any : split(all, ['&&', 'and']);
  const rows = parts.map((part) => rowOf(unwrap(part)));
  if (rows.includes(null)) return null;
  return { join: any.length > 1 ? 'any' : 'all', rows: rows.filter((row) => row !== null) };
}

const NAME = /^[A-Za-z_]\w*$/;

/** A variable or a part of one. A name that an expression would take for something else is looked up in `$env`. */
export function printVariable(path: Path): string {
  return path
    .map((step, i) => {
      if (typeof step === 'number') return `[${step}]`;
      const isPlain = NAME.test(step) && !RESERVED.has(step);
      if (i === 0) return isPlain ? step : `$env[${JSON.stringify(step)}]`;
      return NAME.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('');
}

function printValue(value: Json | undefined): string {
  const path = typeof value === 'string' ? onlyPath(value) : null;
  if (path !== null) return printVariable(path);
  if (isList(value)) return `[${value.map(printValue).join(', ')}]`;
  return JSON.stringify(value ?? '');
}

/* The variable that a path begins with. */
function nameOf(left: Json): string {
  const path = typeof left === 'string' ? onlyPath(left) : null;
  return String(path?.[0] ?? '');
}

function printRow({ left, op, right }: Row): string {
  const field = printValue(left);
  switch (op) {
    case 'is_true':
      return `${field} == true`;
    case 'is_false':
      return `${field} == false`;
    case 'is_empty':
      return `len(${field}) == 0`;
    case 'is_not_empty':
      return `len(${field}) > 0`;
    case 'exists':
    case 'not_exists':
      return `${JSON.stringify(nameOf(left))} ${op === 'exists' ? 'in' : 'not in'} $env`;
    case 'eq':
    case 'neq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'starts_with':
    case 'in':
      return `${field} ${SIGNS.get(op) ?? '=='} ${printValue(right)}`;
  }
}

export function expressionOf({ join, rows }: Rows): string | undefined {
  return rows.length === 0 ? undefined : rows.map(printRow).join(join === 'all' ? ' && ' : ' || ');
}
