/* flow/json.ts — JSON as a value: reading with the place of a mistake, printing with short things on one line.
 *
 * Our own reader instead of JSON.parse, because a document must come out as it went in: JSON.parse rounds numbers that have
 * more digits than a double holds, keeps the last of two members with one name, and does not say where a mistake is. */
import { t } from '../texts/flow';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export const JSON_DEPTH_MAX = 100;
const LINE_MAX = 100;
/** Every decimal number of so many digits survives being a double. */
const DIGITS_SAFE = 15;

export interface JsonMistake {
  readonly message: string;
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

export type JsonOutcome =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly mistake: JsonMistake };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

class Mistake extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: { readonly [letter: string]: string } = {
  '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t',
}; // prettier-ignore

function isExact(raw: string, value: number): boolean {
  const digits = raw
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  if (digits.replace(/0+$/, '').length <= DIGITS_SAFE)
    return Number.isFinite(value) && (value !== 0 || digits === '');
  return String(value) === raw;
}

class Reader {
  private at = 0;
  private depth = 0;
  constructor(private readonly text: string) {}

  read(): Json {
    const value = this.value();
    this.blanks();
    if (this.at < this.text.length) throw new Mistake(t.somethingStandsBehind, this.at);
    return value;
  }

  private blanks(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text.charAt(this.at))) this.at++;
  }

  private take(sign: string): boolean {
    this.blanks();
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  private value(): Json {
    this.blanks();
    const sign = this.text.charAt(this.at);
    if (sign === '{' || sign === '[') {
      if (++this.depth > JSON_DEPTH_MAX)
        throw new Mistake(t.listsAndObjectsAreNested(JSON_DEPTH_MAX), this.at);
      const value = sign === '{' ? this.object() : this.list();
      this.depth--;
      return value;
    }
    if (sign === '"') return this.string();
    if (this.take('true')) return true;
    if (this.take('false')) return false;
    if (this.take('null')) return null;
    return this.number();
  }

  private number(): number {
    NUMBER.lastIndex = this.at;
    const raw = NUMBER.exec(this.text)?.[0];
    if (raw === undefined || raw === '') throw new Mistake(t.aValueIsMissingHere, this.at);
    const value = Number(raw);
    if (!isExact(raw, value)) throw new Mistake(t.theNumberHasMoreDigits(raw), this.at);
    this.at += raw.length;
    return value;
  }

  private string(): string {
    const from = this.at++;
    let value = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.text)?.[0] ?? '';
      value += plain;
      this.at += plain.length;
      const sign = this.text.charAt(this.at);
      if (sign === '') throw new Mistake(t.theQuoteIsNeverClosed, from);
      if (sign === '"') break;
      if (sign !== '\\') throw new Mistake(t.aTextMayNotGo, this.at);
      value += this.escaped();
    }
    this.at++;
    return value;
  }

  private escaped(): string {
    const letter = this.text.charAt(this.at + 1);
    const known = ESCAPES[letter];
    if (known !== undefined) {
      this.at += 2;
      return known;
    }
    const hex = this.text.slice(this.at + 2, this.at + 6);
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) throw new Mistake(t.thisIsNoEscape, this.at);
    this.at += 6;
    return String.fromCharCode(parseInt(hex, 16));
  }

  private list(): Json {
    const from = this.at++;
    const items: Json[] = [];
    if (this.take(']')) return items;
    do items.push(this.value());
    while (this.take(','));
    if (!this.take(']')) throw this.unclosed(t.list, from);
    return items;
  }

  private object(): Json {
    const from = this.at++;
    const members = new Map<string, Json>();
    if (this.take('}')) return {};
    do {
      this.blanks();
      const at = this.at;
      if (this.text.charAt(at) !== '"') throw new Mistake(t.aNameInQuotes, at);
      const name = this.string();
      if (members.has(name)) throw new Mistake(t.theNameStandsHereTwice(name), at);
      if (!this.take(':')) throw new Mistake(t.aColonIsMissingHere, this.at);
      members.set(name, this.value());
    } while (this.take(','));
    if (!this.take('}')) throw this.unclosed(t.object, from);
    return Object.fromEntries(members);
  }

  private unclosed(what: string, from: number): Mistake {
    return this.at >= this.text.length
      ? new Mistake(t.thisIsNeverClosed(what), from)
      : new Mistake(t.aCommaIsMissingHere, this.at);
  }
}

export function parseJson(text: string): JsonOutcome {
  try {
    return { ok: true, value: new Reader(text).read() };
  } catch (thrown) {
    if (!(thrown instanceof Mistake)) throw thrown;
    const before = text.slice(0, thrown.at).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    return {
      ok: false,
      mistake: { message: thrown.message, at: thrown.at, line: before.length, column },
    };
  }
}

/* Documents are values and share what did not change, so the text of a part is known for as long as the part lives: printing a
 * document of thousands of parts after a change of one is putting texts together. Texts of large parts are not kept, or each step of
 * the history would keep a document. */
interface Printed {
  /** On one line; null: longer than a line. */
  readonly short: string | null;
  indent: string;
  text: string | null;
}
const PRINTED = new WeakMap<object, Printed>();
const KEPT_MAX = 2000;

/** Prints `value` with what fits into a line on one line. */
export function printJson(value: Json, indent = ''): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const printed = printedOf(value);
  const { short } = printed;
  if (short !== null && indent.length + short.length <= LINE_MAX && indent !== '') return short;
  if (printed.text !== null && printed.indent === indent) return printed.text;
  const text = printLong(value, indent);
  if (text.length <= KEPT_MAX) {
    printed.indent = indent;
    printed.text = text;
  }
  return text;
}

function printLong(value: readonly Json[] | JsonObject, indent: string): string {
  const inner = indent + '  ';
  if (isList(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + printJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  const lines = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${inner}${JSON.stringify(name)}: ${printJson(member, inner)}`],
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}

function printedOf(value: readonly Json[] | JsonObject): Printed {
  const known = PRINTED.get(value);
  if (known !== undefined) return known;
  const made = { short: printShort(value), indent: '', text: null };
  PRINTED.set(value, made);
  return made;
}

/* The value on one line; null: it is longer than a line may be. */
function printShort(value: readonly Json[] | JsonObject): string | null {
  const parts: string[] = [];
  let length = 0;
  const put = (before: string, part: Json): boolean => {
    const text = part === null || typeof part !== 'object' ? JSON.stringify(part) : printedOf(part).short;
    if (text === null) return false;
    length += before.length + text.length + 2;
    parts.push(before + text);
    return length <= LINE_MAX;
  };
  if (isList(value)) return value.every((item) => put('', item)) ? `[${parts.join(', ')}]` : null;
  const members = Object.entries(value);
  const fits = members.every(
    ([name, member]) => member === undefined || put(`${JSON.stringify(name)}: `, member),
  );
  if (!fits) return null;
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  if (isList(one))
    return isList(other) && one.length === other.length && one.every((item, i) => isSame(item, other[i]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one).filter((name) => one[name] !== undefined);
  const others = Object.keys(other).filter((name) => other[name] !== undefined);
  return names.length === others.length && names.every((name) => isSame(one[name], other[name]));
}

/** A copy of `object` with a member set, at its place if it is there already; `undefined` takes it away. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** A copy with the value at `path` set. Objects on the way are made; a way through anything else is left alone. */
export function withPath(value: JsonObject, path: readonly string[], set: Json | undefined): JsonObject {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (rest.length === 0) return withMember(value, first, set);
  const inner = value[first];
  if (inner !== undefined && !isObject(inner)) return value;
  if (inner === undefined && set === undefined) return value;
  return withMember(value, first, withPath(inner ?? {}, rest, set));
}

export function atPath(value: Json | undefined, path: readonly string[]): Json | undefined {
  let now = value;
  for (const name of path) now = isObject(now) && Object.hasOwn(now, name) ? now[name] : undefined;
  return now;
}

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export const textsOf = (value: Json | undefined): readonly string[] =>
  isList(value) ? value.filter((item) => typeof item === 'string') : [];

export function pointOf(value: Json | undefined): { readonly x: number; readonly y: number } | null {
  if (!isObject(value)) return null;
  const { x, y } = value;
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
}
