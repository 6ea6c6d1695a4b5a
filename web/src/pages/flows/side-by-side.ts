/* pages/flows/side-by-side.ts — the lines of a comparison as two columns: what was and what is stand beside each other, and long
 * parts that are the same are folded. Pure. */
import type { Comparison } from '../../api/comparisons';

type Line = Comparison['lines'][number];

export interface Side {
  /** From 1, in its own document. */
  readonly number: number;
  readonly text: string;
}

export type Row =
  | { readonly kind: 'same'; readonly left: Side; readonly right: Side }
  | { readonly kind: 'changed'; readonly left: Side | null; readonly right: Side | null }
  | { readonly kind: 'folded'; readonly rows: readonly Row[] };

/** Equal lines that stay beside a change. */
const CONTEXT = 3;
/** Fewer than this are not worth a fold. */
const FOLD_MIN = 4;

function pair(removed: readonly Side[], added: readonly Side[]): Row[] {
  const rows: Row[] = [];
  for (let index = 0; index < Math.max(removed.length, added.length); index++)
    rows.push({ kind: 'changed', left: removed[index] ?? null, right: added[index] ?? null });
  return rows;
}

function columns(lines: readonly Line[]): Row[] {
  const rows: Row[] = [];
  let [left, right] = [0, 0];
  let [removed, added]: [Side[], Side[]] = [[], []];
  for (const { op, text } of lines) {
    if (op === '-') removed.push({ number: ++left, text });
    else if (op === '+') added.push({ number: ++right, text });
    else {
      rows.push(...pair(removed, added));
      [removed, added] = [[], []];
      rows.push({ kind: 'same', left: { number: ++left, text }, right: { number: ++right, text } });
    }
  }
  rows.push(...pair(removed, added));
  return rows;
}

/** All rows, with those that are far from any change folded. */
export function sideBySide(lines: readonly Line[]): readonly Row[] {
  const all = columns(lines);
  const isNear = all.map(() => false);
  all.forEach((row, index) => {
    if (row.kind === 'same') return;
    for (let at = Math.max(0, index - CONTEXT); at <= Math.min(all.length - 1, index + CONTEXT); at++)
      isNear[at] = true;
  });
  const rows: Row[] = [];
  let far: Row[] = [];
  const settle = () => {
    if (far.length >= FOLD_MIN) rows.push({ kind: 'folded', rows: far });
    else rows.push(...far);
    far = [];
  };
  all.forEach((row, index) => {
    if (isNear[index] === true) {
      settle();
      rows.push(row);
    } else far.push(row);
  });
  settle();
  return rows;
}
