/* ui/form/fields.ts — for each kind of field: what is in it at first (`empty`), how a value is put in (`print`), and how the
 * person's entry becomes a value again (`read`), with what is wrong in words.
 *
 *     value ──print──► draft (what the controls hold) ──read──► value, or problems at JSON Pointers
 *
 * read(print(value)) is the value, except that what is empty (a text, a list, null) is left out where the schema does not ask
 * for it. A value that does not suit its field is held as JSON text, so nothing is lost. */
import { t } from '../../texts/form';
import { isEqual, isList, isObject, type Json, type JsonObject, pointerTo } from './json';
import type {
  ChoiceField,
  ChoicesField,
  Field,
  FixedField,
  GroupField,
  JsonField,
  ListField,
  NumberField,
  TextField,
  YesNoField,
} from './schema';

export interface GroupDraft {
  readonly members: { readonly [name: string]: Draft };
  /** Members of the value that the form does not ask for; they stay. */
  readonly rest: JsonObject;
}
/** A value that its field cannot show, as JSON text. */
export interface RawDraft {
  readonly raw: string;
}
/** A text field holds its text, a choice the number of its option, choices the numbers of theirs. */
export type Draft = string | readonly Draft[] | GroupDraft | RawDraft;

export interface FieldProblem {
  readonly pointer: string;
  readonly message: string;
}
export interface Reading {
  /** Absent: the field was left empty. */
  readonly value?: Json;
  readonly problems: readonly FieldProblem[];
}

interface Kind<F extends Field> {
  readonly empty: (field: F) => Draft;
  /** Undefined: the value does not suit the field. */
  readonly print: (field: F, value: Json) => Draft | undefined;
  readonly read: (field: F, draft: Draft, pointer: string) => Reading;
}

const ABSENT: Reading = { problems: [] };
const found = (value: Json): Reading => ({ value, problems: [] });
const wrong = (pointer: string, message: string): Reading => ({ problems: [{ pointer, message }] });

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const URL_START = /^[a-z][a-z0-9+.-]*:\S+$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const text: Kind<TextField> = {
  empty: () => '',
  print: (_, value) => (typeof value === 'string' ? value : undefined),
  read: (field, draft, pointer) => {
    const entry = asText(draft);
    if (entry === '') return ABSENT;
    const length = Array.from(entry).length; // Characters as the engine counts them.
    if (length > field.maxLength) return wrong(pointer, t.atMostNow(t.nCharacters(field.maxLength), length));
    if (length < field.minLength) return wrong(pointer, t.atLeast(t.nCharacters(field.minLength)));
    if (field.format === 'email' && !EMAIL.test(entry)) return wrong(pointer, t.writeAnEMailAddress);
    if (field.format === 'url' && !URL_START.test(entry)) return wrong(pointer, t.writeAnAddressSuch);
    return found(entry);
  },
};

function rangeProblem(field: NumberField, value: number): string | undefined {
  if (field.isInteger && !Number.isInteger(value)) return t.onlyWholeNumbers;
  if (field.least !== undefined && value < field.least) return t.atLeast2(field.least);
  if (field.most !== undefined && value > field.most) return t.atMost(field.most);
  if (field.above !== undefined && value <= field.above) return t.moreThan(field.above);
  if (field.below !== undefined && value >= field.below) return t.lessThan(field.below);
  return undefined;
}

const number: Kind<NumberField> = {
  empty: () => '',
  print: (_, value) => (typeof value === 'number' ? String(value) : undefined),
  read: (field, draft, pointer) => {
    const entry = asText(draft).trim();
    if (entry === '') return ABSENT;
    const value = Number(entry);
    if (!NUMBER.test(entry) || !Number.isFinite(value)) return wrong(pointer, t.writeANumberSuch);
    const problem = rangeProblem(field, value);
    return problem === undefined ? found(value) : wrong(pointer, problem);
  },
};

const yesNo: Kind<YesNoField> = {
  empty: () => '',
  print: (_, value) => (typeof value === 'boolean' ? (value ? t.yes : t.no) : undefined),
  read: (_, draft) => (draft === 'yes' ? found(true) : draft === 'no' ? found(false) : ABSENT),
};

const choice: Kind<ChoiceField> = {
  empty: () => '',
  print: (field, value) => {
    const at = field.options.findIndex((option) => isEqual(option.value, value));
    return at < 0 ? undefined : String(at);
  },
  read: (field, draft) => {
    const option = field.options[Number.parseInt(asText(draft), 10)];
    return option === undefined ? ABSENT : found(option.value);
  },
};

const choices: Kind<ChoicesField> = {
  empty: () => [],
  print: (field, value) => {
    if (!isList(value)) return undefined;
    const numbers = value.map((item) => field.options.findIndex((option) => isEqual(option.value, item)));
    return numbers.includes(-1) || new Set(numbers).size !== numbers.length ? undefined : numbers.map(String);
  },
  read: (field, draft, pointer) => {
    const numbers = isDraftList(draft) ? draft.map((one) => Number.parseInt(asText(one), 10)) : [];
    const values = numbers.flatMap((at) => field.options[at]?.value ?? []);
    if (values.length === 0 && field.least === 0) return ABSENT;
    if (values.length < field.least) return wrong(pointer, t.chooseAtLeast(field.least));
    if (values.length > field.most) return wrong(pointer, t.chooseAtMost(field.most));
    return found(values);
  },
};

const fixed: Kind<FixedField> = {
  empty: () => '',
  print: (field, value) => (isEqual(field.value, value) ? '' : undefined),
  read: (field) => found(field.value),
};

const json: Kind<JsonField> = {
  empty: () => '',
  print: (_, value) => JSON.stringify(value, null, 2),
  read: (_, draft, pointer) => {
    const entry = asText(draft).trim();
    if (entry === '') return ABSENT;
    try {
      return found(JSON.parse(entry) as Json);
    } catch {
      return wrong(pointer, t.thisIsNotJsonTexts);
    }
  },
};

const group: Kind<GroupField> = {
  empty: (field) => ({
    members: Object.fromEntries(field.members.map((member) => [member.name, emptyDraft(member.field)])),
    rest: {},
  }),
  print: (field, value) => {
    if (!isObject(value)) return undefined;
    const names = new Set(field.members.map((member) => member.name));
    const members = field.members.map(({ name, field: inner }): [string, Draft] => {
      const part = Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, part === undefined ? kindOf(inner).empty(inner) : printValue(inner, part)];
    });
    const rest = Object.entries(value).filter(([name]) => !names.has(name));
    return { members: Object.fromEntries(members), rest: Object.fromEntries(rest) };
  },
  read: (field, draft, pointer) => {
    if (!isGroupDraft(draft)) return ABSENT;
    const problems: FieldProblem[] = [];
    const value: [string, Json | undefined][] = Object.entries(draft.rest);
    for (const member of field.members) {
      const at = pointerTo(pointer, member.name);
      const reading = readMember(member.field, member.isRequired, draft.members[member.name] ?? '', at);
      problems.push(...reading.problems);
      if (reading.value !== undefined) value.push([member.name, reading.value]);
    }
    return problems.length > 0 ? { problems } : found(Object.fromEntries(value));
  },
};

const list: Kind<ListField> = {
  empty: (field) => Array.from({ length: Math.min(field.least, 20) }, () => emptyDraft(field.item)),
  print: (field, value) => (isList(value) ? value.map((item) => printValue(field.item, item)) : undefined),
  read: (field, draft, pointer) => {
    if (!isDraftList(draft)) return ABSENT;
    const readings = draft.map((item, at) => readMember(field.item, true, item, pointerTo(pointer, at)));
    const problems = readings.flatMap((reading) => reading.problems);
    if (problems.length > 0) return { problems };
    if (draft.length < field.least) return wrong(pointer, t.atLeast2(field.least));
    if (draft.length > field.most) return wrong(pointer, t.atMost(field.most));
    return draft.length === 0
      ? ABSENT
      : found(readings.flatMap((reading) => (reading.value === undefined ? [] : [reading.value])));
  },
};

/** A new kind of field is a line here; the compiler asks for it. */
const KINDS: { readonly [K in Field['kind']]: Kind<Extract<Field, { kind: K }>> } = {
  text,
  number,
  yesNo,
  choice,
  choices,
  fixed,
  group,
  list,
  json,
};

/* TypeScript cannot see that a field and the line of its kind belong together. */
const kindOf = (field: Field) => KINDS[field.kind] as unknown as Kind<Field>;

export function asText(draft: Draft): string {
  return typeof draft === 'string' ? draft : '';
}
export function isDraftList(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}
export function isGroupDraft(draft: Draft): draft is GroupDraft {
  return typeof draft === 'object' && 'members' in draft;
}
export function isRawDraft(draft: Draft): draft is RawDraft {
  return typeof draft === 'object' && 'raw' in draft;
}

/** The value of the field before anybody touched it: its default, if it has one that suits it. */
export function emptyDraft(field: Field): Draft {
  const draft = field.initial === undefined ? undefined : kindOf(field).print(field, field.initial);
  return draft ?? kindOf(field).empty(field);
}

export function printValue(field: Field, value: Json): Draft {
  if (value === null && field.isNullable) return kindOf(field).empty(field);
  return kindOf(field).print(field, value) ?? { raw: JSON.stringify(value, null, 2) };
}

function missing(field: Field): string {
  return field.kind === 'choice' || field.kind === 'yesNo' || field.kind === 'choices'
    ? t.chooseOne
    : t.fillThis;
}

/** Reads a field that stands in a group or list, where "left empty" may be wrong or mean null. */
export function readMember(field: Field, isRequired: boolean, draft: Draft, pointer: string): Reading {
  if (isRawDraft(draft)) return json.read({ ...field, kind: 'json' }, draft.raw, pointer);
  if (!isRequired && isUntouchedGroup(field, draft)) return ABSENT;
  const reading = kindOf(field).read(field, draft, pointer);
  if (reading.value !== undefined || reading.problems.length > 0) return reading;
  if (!isRequired) return ABSENT;
  if (field.isNullable) return found(null);
  if (field.kind === 'choices' || field.kind === 'list') return found([]);
  return wrong(pointer, missing(field));
}

/** An optional group that nobody filled in is left out, though it has members that it would need. */
function isUntouchedGroup(field: Field, draft: Draft): boolean {
  if (field.kind !== 'group' || !isGroupDraft(draft) || Object.keys(draft.rest).length > 0) return false;
  return field.members.every((member) => {
    const inner = draft.members[member.name] ?? '';
    if (isRawDraft(inner)) return false;
    if (member.field.kind === 'group') return isUntouchedGroup(member.field, inner);
    return inner === '' || (isDraftList(inner) && inner.length === 0);
  });
}

/** Reads the whole form. */
export function readForm(field: Field, draft: Draft): Reading {
  return readMember(field, true, draft, '');
}

/** The engine begins a refusal with the JSON Pointer of what is wrong: "/days must be at most 5". */
export function placeRefusal(field: Field, draft: Draft, message: string): FieldProblem {
  const pointers = pointersOf(field, draft, '').filter((pointer) => message.startsWith(`${pointer} `));
  const pointer = pointers.sort((one, other) => other.length - one.length)[0] ?? '';
  const words = message.slice(pointer.length).trimStart();
  const missed = /^must have "(.*)"$/.exec(words)?.[1];
  if (missed !== undefined) return { pointer: pointerTo(pointer, missed), message: t.fillThis };
  return { pointer, message: (words[0] ?? '').toUpperCase() + words.slice(1) };
}

function pointersOf(field: Field, draft: Draft, pointer: string): string[] {
  if (field.kind === 'group' && isGroupDraft(draft))
    return [
      pointer,
      ...field.members.flatMap(({ name, field: inner }) =>
        pointersOf(inner, draft.members[name] ?? '', pointerTo(pointer, name)),
      ),
    ];
  if (field.kind === 'list' && isDraftList(draft))
    return [pointer, ...draft.flatMap((item, at) => pointersOf(field.item, item, pointerTo(pointer, at)))];
  return [pointer];
}
