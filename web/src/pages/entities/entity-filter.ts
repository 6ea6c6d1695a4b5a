/* pages/entities/entity-filter.ts — which entities a list shows: its address, and the condition that the engine searches by.
 *
 *     /ui/entities/order/1?state=LARGE&where=GREATER_THAN:amount:100 */
import type { Condition } from '../../api/entities';
import { t } from '../../texts/entities';
import type { EntityField } from './fields';

export const OPERATORS = [
  'EQUALS',
  'NOT_EQUAL',
  'CONTAINS',
  'STARTS_WITH',
  'GREATER_THAN',
  'GREATER_OR_EQUAL',
  'LESS_THAN',
  'LESS_OR_EQUAL',
  'IS_NULL',
  'NOT_NULL',
] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Where {
  /** Without the `$.` in front: `address.zip`, `lines[*].sku`. */
  readonly path: string;
  readonly operator: Operator;
  readonly value: string;
}

export interface EntityFilter {
  readonly state: string;
  readonly where: readonly Where[];
}

const WORDS: { readonly [K in Operator]: string } = {
  EQUALS: t.is,
  NOT_EQUAL: t.isNot,
  CONTAINS: t.contains,
  STARTS_WITH: t.beginsWith,
  GREATER_THAN: t.isMoreThan,
  GREATER_OR_EQUAL: t.isAtLeast,
  LESS_THAN: t.isLessThan,
  LESS_OR_EQUAL: t.isAtMost,
  IS_NULL: t.isEmpty,
  NOT_NULL: t.isFilled,
};

export const operatorWord = (operator: Operator) => WORDS[operator];

const BY_TYPE: { readonly [K in EntityField['type']]: readonly Operator[] } = {
  text: ['EQUALS', 'NOT_EQUAL', 'CONTAINS', 'STARTS_WITH', 'IS_NULL', 'NOT_NULL'],
  number: [
    'EQUALS',
    'NOT_EQUAL',
    'GREATER_THAN',
    'GREATER_OR_EQUAL',
    'LESS_THAN',
    'LESS_OR_EQUAL',
    'IS_NULL',
    'NOT_NULL',
  ],
  yesNo: ['EQUALS', 'NOT_EQUAL', 'IS_NULL', 'NOT_NULL'],
};

export const operatorsOf = (field: EntityField) => BY_TYPE[field.type];
export const wantsValue = (operator: Operator) => operator !== 'IS_NULL' && operator !== 'NOT_NULL';

function readWhere(text: string): readonly Where[] {
  const [operator, path, ...rest] = text.split(':');
  const known = OPERATORS.find((each) => each === operator);
  if (known === undefined || path === undefined || path === '') return [];
  try {
    return [{ operator: known, path: decodeURIComponent(path), value: rest.join(':') }];
  } catch {
    return [];
  }
}

export function parseFilter(params: URLSearchParams): EntityFilter {
  return { state: params.get('state') ?? '', where: params.getAll('where').flatMap(readWhere) };
}

export function printFilter({ state, where }: EntityFilter): string {
  const params = new URLSearchParams();
  if (state !== '') params.set('state', state);
  for (const { operator, path, value } of where)
    params.append('where', `${operator}:${path.replaceAll(/[%:]/g, encodeURIComponent)}:${value}`);
  return params.toString();
}

function valueOf({ path, value }: Where, fields: readonly EntityField[]): unknown {
  const type = fields.find((field) => field.path === path)?.type ?? 'text';
  if (type === 'yesNo') return value === 'yes' ? true : value === 'no' ? false : value;
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  return value;
}

/** The condition that the engine searches by; null: all. */
export function conditionOf(
  { state, where }: EntityFilter,
  fields: readonly EntityField[],
): Condition | null {
  const conditions: readonly Condition[] = [
    ...(state === ''
      ? []
      : [{ type: 'lifecycle' as const, field: 'state', operatorType: 'EQUALS', value: state }]),
    ...where.map((each) => ({
      type: 'simple' as const,
      jsonPath: `$.${each.path}`,
      operatorType: each.operator,
      value: wantsValue(each.operator) ? valueOf(each, fields) : null,
    })),
  ];
  return conditions.length === 0 ? null : { type: 'group', operator: 'AND', conditions };
}
