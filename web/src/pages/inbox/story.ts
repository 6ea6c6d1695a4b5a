/* pages/inbox/story.ts — a task in words: what happened to it, what its run is about. Pure. */
import type { Task } from '../../api/tasks';
import { isList, isObject, type Json, memberOf, textMember } from '../../ui/form/json';
import { titleOfName } from '../../ui/form/schema';
import { listWords } from '../../ui/words';
import { locale } from '../../texts/language';
import { t } from '../../texts/inbox';

type Happening = NonNullable<Task['history']>[number];

export function whoWord(by: string | undefined, me: string): string {
  if (by === undefined || by === '') return t.somebody;
  return by === me ? t.you : by;
}

/** One line of the task's history; a comment stands below it. */
export function happeningWords({ what, by }: Happening, me: string): string {
  const who = whoWord(by, me);
  switch (what) {
    case 'opened':
      return t.theTaskWasOpened;
    case 'claimed':
      return t.tookTheTask(who);
    case 'unclaimed':
      return t.putItBack(who);
    case 'assigned':
      return t.handedItOver(who);
    case 'changed':
      return t.changedIt(who);
    case 'commented':
      return t.wrote(who);
    case 'reminded':
      return t.nobodyHadAnsweredAReminder;
    case 'emailed':
      return t.anEMailAbout;
    case 'not emailed':
      return t.anEMailAbout2;
    case 'escalated':
      return t.nobodyHadAnswered;
    case 'completed':
      return t.answered(who);
    case 'expired':
      return t.itsTimeWasOver;
    case 'cancelled':
      return t.itWasNoLongerNeeded;
  }
}

/** The owner of a task: "You have it", "Ada has it", "For Ada or the group hr, not taken yet", "For everybody". */
export function holderWords(task: Pick<Task, 'assignee' | 'assignees' | 'groups'>, me: string): string {
  if (task.assignee !== undefined) return task.assignee === me ? t.youHave : t.hasIt(task.assignee);
  const people = task.assignees.map((name) => (name === me ? t.you2 : name));
  const groups =
    task.groups.length === 0
      ? []
      : [task.groups.length > 1 ? t.theGroups(listWords(task.groups)) : t.theGroup(listWords(task.groups))];
  const all = [...people, ...groups];
  return all.length === 0 ? t.forEverybodyNotTakenYet : t.forNotTakenYet(listWords(all, 'or'));
}

/** How a task that is over ended; empty while it is open. */
export function endWords(task: Task, me: string): string {
  const state = task.state ?? 'open';
  switch (state) {
    case 'completed':
      return t.answered2(
        whoWord(task.endedBy, me),
        typeof task.decision === 'string' ? ` “${titleOfName(task.decision)}”` : '',
      );
    case 'expired':
      return t.theTimeForAnAnswer;
    case 'cancelled':
      return t.theRunWentOnWithout;
    case 'suspended':
      return t.theRunHasFailed;
    case 'open':
      return '';
  }
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

const FACTS_MAX = 8;
const FACT_LENGTH_MAX = 80;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_FORMAT = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const INSTANT_FORMAT = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const NUMBERS = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });

function factValue(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'number') return NUMBERS.format(value);
  if (typeof value !== 'string') return '';
  if (Number.isNaN(Date.parse(value))) return value;
  if (DAY.test(value)) return DAY_FORMAT.format(new Date(value)).replace(',', '');
  return INSTANT.test(value) ? INSTANT_FORMAT.format(new Date(value)) : value;
}

/** The input of the run, or its data: short single values, except what the task says already. */
export function factsOf(variables: unknown, said: readonly string[]): readonly Fact[] {
  const payload = memberOf(memberOf(variables, 'trigger'), 'payload');
  const source = isObject(payload)
    ? payload
    : memberOf(variables, 'trigger') === undefined
      ? variables
      : undefined;
  if (!isObject(source)) return [];
  return Object.entries(source)
    .map(([name, value]) => ({ name: titleOfName(name), value: factValue(value) }))
    .filter(({ value }) => value !== '' && value.length <= FACT_LENGTH_MAX && !said.includes(value))
    .slice(0, FACTS_MAX);
}

function stepOf(document: unknown, nodeId: string): { readonly step: Json; readonly config: Json } | null {
  for (const word of ['nodes', 'steps']) {
    const steps = memberOf(document, word);
    const step = isList(steps)
      ? steps.find((one) => (textMember(one, 'id') ?? textMember(one, 'nodeId')) === nodeId)
      : undefined;
    if (step !== undefined) return { step, config: memberOf(step, 'config') ?? step };
  }
  return null;
}

function titleOfStep(document: unknown, id: string): string {
  const found = stepOf(document, id);
  return found === null ? id : (textMember(found.step, 'label') ?? textMember(found.step, 'name') ?? id);
}

/** Where the line from a step's port leads, in words; empty if there is no such line. */
export function portTarget(document: unknown, nodeId: string, port: string): string {
  const edges = memberOf(document, 'edges');
  if (!isList(edges)) return '';
  const edge = edges.find(
    (one) => textMember(one, 'from') === nodeId && textMember(one, 'fromPort') === port,
  );
  const to = textMember(edge, 'to');
  return to === undefined ? '' : titleOfStep(document, to);
}
