/* ui/form/schema.ts — reads a JSON Schema (draft-07 or 2020-12) as a field that a person can fill in.
 *
 * A part that we cannot draw (alternatives of objects, free members, recursion) becomes a field of JSON text, so that no task is
 * unanswerable. Rules that we do not read (patterns, conditions) are the engine's to judge. Not here: values (fields.ts). */
import { t } from '../../texts/form';
import { isList, isObject, type Json, memberOf, numberMember, textMember } from './json';

/** Deeper than this a schema is drawn as JSON text; a schema that refers to itself ends here. */
const DEPTH_MAX = 5;
/** A list of more choices is a menu. */
const RADIOS_MAX = 4;
/** A text that may be longer gets more than one line. */
const LINE_MAX = 160;

export interface Option {
  readonly label: string;
  readonly help: string;
  readonly value: Json;
}

export type TextFormat = 'text' | 'lines' | 'email' | 'url' | 'date' | 'time' | 'instant' | 'password';

interface Common {
  readonly title: string;
  readonly help: string;
  /** Null is a value that the schema allows: an empty field means it. */
  readonly isNullable: boolean;
  readonly initial?: Json;
}

export interface TextField extends Common {
  readonly kind: 'text';
  readonly format: TextFormat;
  readonly minLength: number;
  readonly maxLength: number;
}
export interface NumberField extends Common {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly least?: number;
  readonly most?: number;
  readonly above?: number;
  readonly below?: number;
}
export interface YesNoField extends Common {
  readonly kind: 'yesNo';
}
export interface ChoiceField extends Common {
  readonly kind: 'choice';
  readonly options: readonly Option[];
  readonly look: 'radios' | 'menu';
}
/** Any number of some options. */
export interface ChoicesField extends Common {
  readonly kind: 'choices';
  readonly options: readonly Option[];
  readonly least: number;
  readonly most: number;
}
/** A value that the schema fixes: nothing to ask. */
export interface FixedField extends Common {
  readonly kind: 'fixed';
  readonly value: Json;
}
export interface GroupMember {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}
export interface GroupField extends Common {
  readonly kind: 'group';
  readonly members: readonly GroupMember[];
}
export interface ListField extends Common {
  readonly kind: 'list';
  readonly item: Field;
  readonly least: number;
  readonly most: number;
}
export interface JsonField extends Common {
  readonly kind: 'json';
}

export type Field =
  | TextField
  | NumberField
  | YesNoField
  | ChoiceField
  | ChoicesField
  | FixedField
  | GroupField
  | ListField
  | JsonField;

/** `costCentre` and `cost_centre` read "Cost centre"; a name with spaces or capitals in front stays as it is. */
export function titleOfName(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(
      /([\p{Ll}\d])(\p{Lu})(?=\p{Ll})/gu,
      (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
    )
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .trim();
  const first = Array.from(words)[0] ?? '';
  return first.toUpperCase() + words.slice(first.length);
}

function findRef(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    let name = part;
    try {
      name = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    name = name.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isList(at) ? at[Number(name)] : memberOf(at, name);
  }
  return at;
}

function merge(one: unknown, other: unknown): unknown {
  if (!isObject(one)) return other;
  if (!isObject(other)) return one;
  const required = [memberOf(one, 'required'), memberOf(other, 'required')].flatMap((list) =>
    isList(list) ? list : [],
  );
  const properties = { ...asObject(memberOf(one, 'properties')), ...asObject(memberOf(other, 'properties')) };
  return {
    ...one,
    ...other,
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  };
}

function asObject(value: unknown) {
  return isObject(value) ? value : {};
}

function without(schema: unknown, name: string) {
  return Object.fromEntries(Object.entries(asObject(schema)).filter(([member]) => member !== name));
}

/** Follows references and puts `allOf` together, as far as `DEPTH_MAX` goes. */
function flatten(schema: unknown, root: unknown): unknown {
  let flat = schema;
  for (let steps = 0; steps < DEPTH_MAX; steps++) {
    const ref = textMember(flat, '$ref');
    const all = memberOf(flat, 'allOf');
    if (ref !== undefined) {
      flat = merge(findRef(root, ref), without(flat, '$ref'));
    } else if (isList(all)) {
      flat = [...all, without(flat, 'allOf')].reduce<unknown>(
        (sum, part) => merge(sum, flatten1(part, root)),
        undefined,
      );
    } else return flat;
  }
  return {};
}

function flatten1(part: unknown, root: unknown): unknown {
  const ref = textMember(part, '$ref');
  return ref === undefined ? part : findRef(root, ref);
}

function isNullSchema(schema: Json): boolean {
  return textMember(schema, 'type') === 'null' || memberOf(schema, 'const') === null;
}

/** Alternatives of which each is one value, as options; undefined if they are something else. */
function constOptions(alternatives: readonly Json[]): Option[] | undefined {
  const options: Option[] = [];
  for (const one of alternatives) {
    const value = memberOf(one, 'const') ?? singleEnum(one);
    if (value === undefined) return undefined;
    options.push({
      value,
      label: textMember(one, 'title') ?? labelOf(value),
      help: textMember(one, 'description') ?? '',
    });
  }
  return options;
}

function singleEnum(schema: Json): Json | undefined {
  const values = memberOf(schema, 'enum');
  return isList(values) && values.length === 1 ? values[0] : undefined;
}

function labelOf(value: Json): string {
  if (typeof value === 'string') return value === '' ? t.empty : value;
  if (typeof value === 'boolean') return value ? t.yes2 : t.no2;
  return value === null ? t.nothing : JSON.stringify(value);
}

function enumOptions(schema: unknown): Option[] | undefined {
  const values = memberOf(schema, 'enum');
  if (isList(values)) {
    const names = memberOf(schema, 'enumNames');
    return values.map((value, at) => {
      const name = isList(names) ? names[at] : undefined;
      return { value, label: typeof name === 'string' ? name : labelOf(value), help: '' };
    });
  }
  const alternatives = memberOf(schema, 'oneOf') ?? memberOf(schema, 'anyOf');
  return isList(alternatives) ? constOptions(alternatives) : undefined;
}

const FORMATS: { readonly [format: string]: TextFormat } = {
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  iri: 'url',
  date: 'date',
  time: 'time',
  'date-time': 'instant',
  password: 'password',
  textarea: 'lines',
  multiline: 'lines',
};

function textField(schema: unknown, common: Common): TextField {
  const maxLength = numberMember(schema, 'maxLength') ?? Infinity;
  const named = FORMATS[textMember(schema, 'format') ?? ''];
  const isLong = named === undefined && maxLength > LINE_MAX && maxLength !== Infinity;
  const format = named ?? (isLong ? 'lines' : 'text');
  return { ...common, kind: 'text', format, minLength: numberMember(schema, 'minLength') ?? 0, maxLength };
}

function numberField(schema: unknown, common: Common, isInteger: boolean): NumberField {
  const least = numberMember(schema, 'minimum');
  const most = numberMember(schema, 'maximum');
  const above = numberMember(schema, 'exclusiveMinimum');
  const below = numberMember(schema, 'exclusiveMaximum');
  return {
    ...common,
    kind: 'number',
    isInteger: isInteger || numberMember(schema, 'multipleOf') === 1,
    ...(least === undefined ? {} : { least }),
    ...(most === undefined ? {} : { most }),
    ...(above === undefined ? {} : { above }),
    ...(below === undefined ? {} : { below }),
  };
}

function groupField(schema: unknown, root: unknown, common: Common, depth: number): Field {
  const properties = memberOf(schema, 'properties');
  if (!isObject(properties) || Object.keys(properties).length === 0) {
    // An object without members to ask for: at the top it is an empty form, inside it may hold anything.
    return depth === 0 && memberOf(schema, 'additionalProperties') === false
      ? { ...common, kind: 'group', members: [] }
      : { ...common, kind: 'json' };
  }
  const required = memberOf(schema, 'required');
  const members = Object.entries(properties).map(([name, part]) => ({
    name,
    isRequired: isList(required) && required.includes(name),
    field: readField(part, root, titleOfName(name), depth + 1),
  }));
  return { ...common, kind: 'group', members };
}

function listField(schema: unknown, root: unknown, common: Common, depth: number): Field {
  const items = memberOf(schema, 'items');
  if (items === undefined || isList(items) || memberOf(schema, 'prefixItems') !== undefined)
    return { ...common, kind: 'json' };
  const least = numberMember(schema, 'minItems') ?? 0;
  const most = numberMember(schema, 'maxItems') ?? Infinity;
  const options = enumOptions(flatten(items, root));
  if (options !== undefined && memberOf(schema, 'uniqueItems') === true)
    return { ...common, kind: 'choices', options, least, most };
  const item = readField(items, root, '', depth + 1);
  return item.kind === 'json' ? { ...common, kind: 'json' } : { ...common, kind: 'list', item, least, most };
}

/** The schema's type, if it is one that we draw; null beside it is told apart by `isNullable`. */
function typeOf(schema: unknown): string | undefined {
  const type = memberOf(schema, 'type');
  if (typeof type === 'string') return type;
  const types = isList(type) ? type.filter((one) => one !== 'null') : [];
  if (types.length === 1 && typeof types[0] === 'string') return types[0];
  return type === undefined && memberOf(schema, 'properties') !== undefined ? 'object' : undefined;
}

/** `X or null` is X that may be empty. */
function withoutNull(schema: unknown, root: unknown): { schema: unknown; isNullable: boolean } {
  const type = memberOf(schema, 'type');
  if (isList(type) && type.includes('null')) return { schema, isNullable: true };
  for (const word of ['anyOf', 'oneOf']) {
    const alternatives = memberOf(schema, word);
    if (!isList(alternatives) || !alternatives.some(isNullSchema)) continue;
    const others = alternatives.filter((one) => !isNullSchema(one));
    const rest = without(schema, word);
    if (others.length !== 1) return { schema: { ...rest, [word]: others }, isNullable: true };
    return { schema: flatten(merge(others[0], rest), root), isNullable: true };
  }
  return { schema, isNullable: memberOf(schema, 'nullable') === true };
}

function readField(written: unknown, root: unknown, name: string, depth: number): Field {
  const { schema, isNullable } = withoutNull(flatten(written, root), root);
  const initial = memberOf(schema, 'default');
  const common: Common = {
    title: textMember(schema, 'title') ?? name,
    help: textMember(schema, 'description') ?? '',
    isNullable,
    ...(initial === undefined ? {} : { initial }),
  };
  if (depth > DEPTH_MAX) return { ...common, kind: 'json' };
  const fixed = memberOf(schema, 'const');
  if (fixed !== undefined) return { ...common, kind: 'fixed', value: fixed };
  const options = enumOptions(schema)?.filter((option) => option.value !== null || !isNullable);
  if (options !== undefined && options.length > 0)
    return { ...common, kind: 'choice', options, look: options.length <= RADIOS_MAX ? 'radios' : 'menu' };
  if (memberOf(schema, 'oneOf') !== undefined || memberOf(schema, 'anyOf') !== undefined)
    return { ...common, kind: 'json' };
  switch (typeOf(schema)) {
    case 'string':
      return textField(schema, common);
    case 'number':
    case 'integer':
      return numberField(schema, common, typeOf(schema) === 'integer');
    case 'boolean':
      return { ...common, kind: 'yesNo' };
    case 'object':
      return groupField(schema, root, common, depth);
    case 'array':
      return listField(schema, root, common, depth);
    case undefined:
    default:
      return { ...common, kind: 'json' };
  }
}

/** The form of a schema. No schema, or one that asks for nothing, is an empty group. */
export function readSchema(schema: unknown): Field {
  if (schema === undefined || schema === null || schema === true) return EMPTY_FORM;
  return readField(schema, schema, '', 0);
}

const EMPTY_FORM: Field = { kind: 'group', title: '', help: '', isNullable: false, members: [] };
