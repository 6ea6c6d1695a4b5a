/* pages/entities/fields.ts — the fields of a model, from its schema, and what an entity is called. */
import { isObject, memberOf } from '../../ui/form/json';
import { titleOfName } from '../../ui/form/schema';
import { shortValue } from '../../ui/words';

export interface EntityField {
  /** `amount`, `address.zip`, `lines[*].sku`. */
  readonly path: string;
  readonly title: string;
  readonly type: 'text' | 'number' | 'yesNo';
}

const DEPTH_MAX = 5;
const FIELDS_MAX = 200;
const NAME_MAX = 80;

function typesOf(schema: unknown): readonly string[] {
  const type = memberOf(schema, 'type');
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.filter((each): each is string => typeof each === 'string');
}

function fieldType(types: readonly string[]): EntityField['type'] | null {
  if (types.includes('string')) return 'text';
  if (types.includes('number') || types.includes('integer')) return 'number';
  return types.includes('boolean') ? 'yesNo' : null;
}

function collect(schema: unknown, path: string, title: string, depth: number, into: EntityField[]): void {
  if (into.length >= FIELDS_MAX) return;
  const type = fieldType(typesOf(schema));
  if (type !== null && path !== '') into.push({ path, title, type });
  if (depth >= DEPTH_MAX) return;
  const properties = memberOf(schema, 'properties');
  if (isObject(properties))
    for (const [name, inner] of Object.entries(properties)) {
      const word = titleOfName(name);
      const at = path === '' ? name : `${path}.${name}`;
      collect(inner, at, title === '' ? word : `${title} › ${word}`, depth + 1, into);
    }
  const items = memberOf(schema, 'items');
  if (items !== undefined && path !== '') collect(items, `${path}[*]`, title, depth + 1, into);
}

/** Fields that hold texts, numbers or yes and no, in the order of the schema. */
export function fieldsOf(schema: unknown): readonly EntityField[] {
  const into: EntityField[] = [];
  collect(schema, '', '', 0, into);
  return into;
}

/** The value at a path without lists. */
export function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => memberOf(at, name), data);
}

const NAMES = [
  'name',
  'title',
  'label',
  'number',
  'key',
  'code',
  'reference',
  'customer',
  'subject',
  'email',
] as const;

/** The name that people use for it: a telling field, else the first short text, else the beginning of its id. */
export function entityName(data: unknown, id: string): string {
  const members = isObject(data) ? Object.entries(data) : [];
  const isTelling = ([, value]: readonly [string, unknown]) =>
    (typeof value === 'string' && value.trim() !== '' && value.length <= NAME_MAX) ||
    typeof value === 'number';
  const telling = members.filter(isTelling);
  const named = NAMES.flatMap((name) =>
    telling.filter(([member]) => member.toLowerCase() === name || member.toLowerCase().endsWith(name)),
  )[0];
  const text = named ?? telling.find(([, value]) => typeof value === 'string');
  return text === undefined ? shortId(id) : shortValue(text[1]);
}

/** Ids made one after the other differ at the end of their first part. */
export const shortId = (id: string) => id.split('-').slice(0, 2).join('-');

/** Fields for the columns of a list: the first that are not inside of lists. */
export function columnsOf(fields: readonly EntityField[], most: number): readonly EntityField[] {
  return fields.filter(({ path }) => !path.includes('[')).slice(0, most);
}
