/* flow/condition.ts — conditions of lines ↔ rows of three drop-downs: field, is, value; joined by all or any.
 * A condition that rows cannot show (nested, negated, an expression) is left as it is; rowsOf says so by null. */
import { t } from '../texts/flow';
import { isList, isObject, isSame, type Json, type JsonObject } from './json';

export const OPERATORS = [
  'eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with', 'in',
  'exists', 'not_exists', 'is_empty', 'is_not_empty', 'is_true', 'is_false',
] as const; // prettier-ignore
export type Operator = (typeof OPERATORS)[number];

export const OPERATOR_WORDS: { readonly [Op in Operator]: string } = {
  eq: t.is,
  neq: t.isNot,
  gt: t.isMoreThan,
  gte: t.isAtLeast,
  lt: t.isLessThan,
  lte: t.isAtMost,
  contains: t.contains,
  starts_with: t.beginsWith,
  in: t.isOne,
  exists: t.isThere,
  not_exists: t.isNotThere,
  is_empty: t.isEmpty,
  is_not_empty: t.isFilled,
  is_true: t.isYes,
  is_false: t.isNo,
};

const ALONE: readonly Operator[] = [
  'exists',
  'not_exists',
  'is_empty',
  'is_not_empty',
  'is_true',
  'is_false',
];

/** Whether there is nothing to compare with. */
export const isAlone = (op: Operator): boolean => ALONE.includes(op);

export interface Row {
  /** A template: one pill, for what a person can pick. */
  readonly left: Json;
  readonly op: Operator;
  readonly right: Json | undefined;
}

export interface Rows {
  readonly join: 'all' | 'any';
  readonly rows: readonly Row[];
}

const isOperator = (word: Json | undefined): word is Operator => OPERATORS.some((op) => op === word);

function rowOf(condition: Json): Row | null {
  if (!isObject(condition)) return null;
  const { left, op, right, ...rest } = condition;
  if (left === undefined || !isOperator(op) || Object.keys(rest).length > 0) return null;
  if (isAlone(op) !== (right === undefined)) return null;
  return { left, op, right };
}

/** The rows that say the same as the condition; null: no rows can. No condition is no rows. */
export function rowsOf(condition: Json | undefined): Rows | null {
  if (condition === undefined) return { join: 'all', rows: [] };
  const single = rowOf(condition);
  if (single !== null) return { join: 'all', rows: [single] };
  if (!isObject(condition)) return null;
  const [name, ...others] = Object.keys(condition);
  if ((name !== 'all' && name !== 'any') || others.length > 0) return null;
  const list = condition[name];
  if (!isList(list) || list.length === 0) return null;
  const rows = list.map(rowOf);
  if (rows.includes(null)) return null;
  return { join: name, rows: rows.filter((row) => row !== null) };
}

const conditionOfRow = ({ left, op, right }: Row): JsonObject => ({
  left,
  op,
  ...(right === undefined ? {} : { right }),
});

export function conditionOf({ join, rows }: Rows): Json | undefined {
  const [first, ...others] = rows;
  if (first === undefined) return undefined;
  if (others.length === 0 && join === 'all') return conditionOfRow(first);
  return { [join]: rows.map(conditionOfRow) };
}

/** Whether rows and condition say the same; for the round trip. */
export const isFaithful = (condition: Json | undefined): boolean => {
  const rows = rowsOf(condition);
  return (
    rows === null || isSame(conditionOf(rows), condition) || (rows.rows.length === 1 && rows.join === 'all')
  );
};
