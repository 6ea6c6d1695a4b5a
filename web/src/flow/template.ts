/* flow/template.ts — texts with placeholders ↔ text and pills.
 *
 *     "Leave for {{ trigger.payload.who }}"  ↔  Leave for [Who asks]
 *
 * A pill keeps what stands between the braces as it was written, so that reading and printing a text changes nothing.
 * `\{{` is the text `{{`. A pill that is never closed stays as it is: the engine names that problem. `{{{ x }}}` is a pill
 * whose value the engine does not escape; the third braces are part of what it keeps. */

export type Part =
  /** `raw` is there if it was written in another way than we would. */
  | { readonly kind: 'text'; readonly text: string; readonly raw?: string }
  | { readonly kind: 'pill'; readonly inner: string }
  /** `{{` without an end. */
  | { readonly kind: 'broken'; readonly raw: string };

const OPEN = '{{';

/* Where the placeholder that begins at `from` ends: `close` outside of quotes. -1: nowhere. */
function endOf(text: string, from: number, close: string): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quote !== '') {
      if (sign === '\\' && quote === '"') at++;
      else if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (text.startsWith(close, at)) return at;
  }
  return -1;
}

export function parseTemplate(template: string): readonly Part[] {
  const parts: Part[] = [];
  let text = '';
  let raw = '';
  const flush = () => {
    if (text !== '')
      parts.push(raw === escapeText(text) ? { kind: 'text', text } : { kind: 'text', text, raw });
    text = '';
    raw = '';
  };
  for (let at = 0; at < template.length;) {
    if (template.startsWith('\\{{', at)) {
      text += OPEN;
      raw += '\\{{';
      at += 3;
    } else if (template.startsWith(OPEN, at)) {
      const isRaw = template.startsWith('{{{', at);
      const end = isRaw ? endOf(template, at + 3, '}}}') + 1 : endOf(template, at + 2, '}}');
      flush();
      if (end <= 0) {
        parts.push({ kind: 'broken', raw: template.slice(at) });
        return parts;
      }
      parts.push({ kind: 'pill', inner: template.slice(at + 2, end) });
      at = end + 2;
    } else {
      text += template.charAt(at);
      raw += template.charAt(at);
      at++;
    }
  }
  flush();
  return parts;
}

/* Text that would run into the braces behind it: there is no way to write it, so a blank comes between. Braces in pairs are
 * escaped and do no harm. */
function endsBadly(text: string): boolean {
  const braces = /\{*$/.exec(text)?.[0].length ?? 0;
  return text.endsWith('\\') || braces % 2 === 1;
}

function escapeText(text: string): string {
  return text.replaceAll(OPEN, '\\{{');
}

export function printTemplate(parts: readonly Part[]): string {
  let printed = '';
  parts.forEach((part, i) => {
    switch (part.kind) {
      case 'text': {
        const next = parts[i + 1];
        const isCut = next !== undefined && next.kind !== 'text' && endsBadly(part.text);
        printed += part.raw ?? escapeText(part.text) + (isCut ? ' ' : '');
        break;
      }
      case 'pill':
        printed += `{{${part.inner}}}`;
        break;
      case 'broken':
        printed += part.raw;
        break;
    }
  });
  return printed;
}

const NAME = /^[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff-]*$/;

export type Path = readonly (string | number)[];

/* Written with three braces. */
const isRawPill = (inner: string): boolean => inner.startsWith('{') && inner.endsWith('}');

/** The path of a pill and what is behind it, such as ` | default("")`; null if it is none. */
export function readInner(inner: string): { readonly path: Path; readonly filters: string } | null {
  const path: (string | number)[] = [];
  let rest = (isRawPill(inner) ? inner.slice(1, -1) : inner).trim();
  const first = /^[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff-]*/.exec(rest)?.[0];
  if (first === undefined) return null;
  path.push(first);
  rest = rest.slice(first.length);
  for (;;) {
    const dotted = /^\.([A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff-]*)/.exec(rest);
    const bracket = /^\[\s*(?:(-?\d+)|("(?:[^"\\]|\\.)*")|'([^']*)')\s*\]/.exec(rest);
    const found = dotted ?? bracket;
    if (found === null) break;
    if (dotted !== null) path.push(dotted[1] ?? '');
    else if (bracket?.[1] !== undefined) path.push(Number(bracket[1]));
    else if (bracket?.[2] !== undefined) path.push(unquote(bracket[2]));
    else path.push(bracket?.[3] ?? '');
    rest = rest.slice(found[0].length);
  }
  const filters = rest.trim();
  return filters === '' || filters.startsWith('|') ? { path, filters } : null;
}

function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

export function printPath(path: Path): string {
  return path
    .map((step, i) => {
      if (typeof step === 'number') return `[${step}]`;
      if (NAME.test(step) && (i === 0 || step !== 'length')) return i === 0 ? step : `.${step}`;
      return i === 0 ? step : `[${JSON.stringify(step)}]`;
    })
    .join('');
}

export const pillOf = (path: Path): Part => ({ kind: 'pill', inner: ` ${printPath(path)} ` });
export const templateOf = (path: Path): string => printTemplate([pillOf(path)]);

/** The path of a text that is one pill and nothing else; null if it is not. */
export function onlyPath(template: string): Path | null {
  const parts = parseTemplate(template);
  const [part] = parts;
  if (parts.length !== 1 || part?.kind !== 'pill' || isRawPill(part.inner)) return null;
  const read = readInner(part.inner);
  return read === null || read.filters !== '' ? null : read.path;
}

/** Writes the new ids of steps into placeholders: `nodes.OLD…` becomes `nodes.NEW…`. */
export function renamePlaceholders(template: string, names: ReadonlyMap<string, string>): string {
  if (!template.includes(OPEN)) return template;
  const parts = parseTemplate(template).map((part): Part => {
    const read = part.kind === 'pill' ? readInner(part.inner) : null;
    const root = read?.path[0];
    if (read === null || (root !== 'nodes' && root !== 'triggers')) return part;
    const id = names.get(String(read.path[1]));
    if (id === undefined) return part;
    const path = printPath([root, id, ...read.path.slice(2)]);
    const inner = ` ${path}${read.filters === '' ? '' : ` ${read.filters}`} `;
    return { kind: 'pill', inner: part.kind === 'pill' && isRawPill(part.inner) ? `{${inner}}` : inner };
  });
  return printTemplate(parts);
}
