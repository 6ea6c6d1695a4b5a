/* flow/reminders.ts — reminders and escalations of a person's task ↔ sentences: "after 2 days, e-mail them, and again every day".
 *
 * A reminder is a length of time, or an object with `after`, `every` and `email`. An escalation says after how long others are asked. A
 * reminder that has another form, a placeholder for example, is left to the text view. */
import { t } from '../texts/flow';
import { type Duration, parseDuration, printIsoDuration, singleOf } from './duration';
import { isList, isObject, type Json, type JsonObject, withMember } from './json';

export interface Reminder {
  readonly after: Duration;
  readonly every: Duration | null;
  readonly isQuiet: boolean;
}

export interface Escalation {
  readonly after: Duration;
  readonly people: readonly string[];
  readonly groups: readonly string[];
  /** The person who has the task loses it. */
  readonly isTaken: boolean;
  readonly isQuiet: boolean;
  /** Members that the words do not tell: a priority, a due time. */
  readonly others: JsonObject;
}

const FIRST: Duration = { count: 2, unit: 'days' };
export const NEW_REMINDER: Reminder = { after: FIRST, every: null, isQuiet: false };
export const NEW_ESCALATION: Escalation = {
  after: { count: 3, unit: 'days' },
  people: [],
  groups: [],
  isTaken: true,
  isQuiet: false,
  others: {},
};

const itemsOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : isList(value) ? value : [value];

const durationIn = (value: Json | undefined): Duration | null =>
  typeof value === 'string' ? parseDuration(value) : null;

function readReminder(value: Json): Reminder | null {
  if (!isObject(value)) {
    const after = durationIn(value);
    return after === null ? null : { ...NEW_REMINDER, after };
  }
  const after = durationIn(value['after']);
  const every = value['every'] === undefined ? null : durationIn(value['every']);
  const isKnown = Object.keys(value).every((name) => ['after', 'every', 'email'].includes(name));
  if (after === null || !isKnown || (value['every'] !== undefined && every === null)) return null;
  return { after, every, isQuiet: value['email'] === false };
}

/** Null: the words cannot tell it. */
export function readReminders(value: Json | undefined): readonly Reminder[] | null {
  const read = itemsOf(value).map(readReminder);
  return read.every((each) => each !== null) ? read : null;
}

function printReminder({ after, every, isQuiet }: Reminder): Json {
  if (every === null && !isQuiet) return printIsoDuration(after);
  return {
    after: printIsoDuration(after),
    ...(every === null ? {} : { every: printIsoDuration(every) }),
    ...(isQuiet ? { email: false } : {}),
  };
}

export function printReminders(reminders: readonly Reminder[]): Json | undefined {
  return reminders.length === 0 ? undefined : reminders.map(printReminder);
}

function namesIn(value: Json | undefined): readonly string[] | null {
  const items = itemsOf(value);
  return items.every((item) => typeof item === 'string') ? items : null;
}

function readEscalation(value: Json): Escalation | null {
  if (!isObject(value)) return null;
  const after = durationIn(value['after']);
  const assignee = value['assignee'];
  const people = namesIn(typeof assignee === 'string' ? [assignee] : value['assignees']);
  const groups = namesIn(value['groups']);
  if (after === null || people === null || groups === null) return null;
  if (typeof assignee === 'string' && value['assignees'] !== undefined) return null;
  const others = ['after', 'assignee', 'assignees', 'groups', 'email'].reduce(
    (rest: JsonObject, name) => withMember(rest, name, undefined),
    value,
  );
  return {
    after,
    people,
    groups,
    isTaken: assignee !== undefined,
    isQuiet: value['email'] === false,
    others,
  };
}

/** Null: the words cannot tell it. */
export function readEscalations(value: Json | undefined): readonly Escalation[] | null {
  const read = itemsOf(value).map(readEscalation);
  return read.every((each) => each !== null) ? read : null;
}

function printEscalation({ after, people, groups, isTaken, isQuiet, others }: Escalation): JsonObject {
  const isOne = isTaken && people.length === 1;
  return {
    after: printIsoDuration(after),
    ...(isTaken ? { assignee: isOne ? (people[0] ?? null) : null } : {}),
    ...(people.length === 0 || isOne ? {} : { assignees: [...people] }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(isQuiet ? { email: false } : {}),
    ...others,
  };
}

/** One is an object, as both formats write it; several are a list, which only flow graphs know. */
export function printEscalations(escalations: readonly Escalation[]): Json | undefined {
  const [first] = escalations;
  if (first === undefined) return undefined;
  return escalations.length === 1 ? printEscalation(first) : escalations.map(printEscalation);
}

export function sayReminder({ after, every, isQuiet }: Reminder): string {
  const first = t.after(after.count, singleOf(after.unit));
  const again = every === null ? '' : t.andAgainEvery(every.count, singleOf(every.unit));
  return `${first}, ${isQuiet ? t.remindThemWithoutAnE : t.eMailThem}${again}.`;
}
