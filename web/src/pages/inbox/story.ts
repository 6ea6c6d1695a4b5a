/* pages/inbox/story.ts — a task in words: what happened to it, what its run is about. Pure. */
import type { Task } from '../../api/tasks';
import { isList, isObject, type Json, memberOf, textMember } from '../../ui/form/json';
import { titleOfName } from '../../ui/form/schema';
import { listWords } from '../../ui/words';

type Happening = NonNullable<Task['history']>[number];

export function whoWord(by: string | undefined, me: string): string {
  if (by === undefined || by === '') return 'Somebody';
  return by === me ? 'You' : by;
}

/** One line of the task's history; a comment stands below it. */
export function happeningWords({ what, by }: Happening, me: string): string {
  const who = whoWord(by, me);
  switch (what) {
    case 'opened':
      return 'The task was opened';
    case 'claimed':
      return `${who} took the task`;
    case 'unclaimed':
      return `${who} put it back`;
    case 'assigned':
      return `${who} handed it over`;
    case 'changed':
      return `${who} changed it`;
    case 'commented':
      return `${who} wrote`;
    case 'reminded':
      return 'Nobody had answered: a reminder was sent';
    case 'emailed':
      return 'An e-mail about it was sent';
    case 'not emailed':
      return 'An e-mail about it could not be sent';
    case 'escalated':
      return 'Nobody had answered: it was passed on';
    case 'completed':
      return `${who} answered`;
    case 'expired':
      return 'Its time was over';
    case 'cancelled':
      return 'It was no longer needed';
  }
}

/** Whose task it is: "You have it", "Ada has it", "For Ada or the group hr, not taken yet", "For everybody". */
export function holderWords(task: Pick<Task, 'assignee' | 'assignees' | 'groups'>, me: string): string {
  if (task.assignee !== undefined) return task.assignee === me ? 'You have it' : `${task.assignee} has it`;
  const people = task.assignees.map((name) => (name === me ? 'you' : name));
  const groups =
    task.groups.length === 0
      ? []
      : [`the group${task.groups.length > 1 ? 's' : ''} ${listWords(task.groups)}`];
  const all = [...people, ...groups];
  return all.length === 0 ? 'For everybody, not taken yet' : `For ${listWords(all, 'or')}, not taken yet`;
}

/** How a task that is over ended; empty while it is open. */
export function endWords(task: Task, me: string): string {
  const state = task.state ?? 'open';
  switch (state) {
    case 'completed':
      return `${whoWord(task.endedBy, me)} answered${typeof task.decision === 'string' ? ` “${titleOfName(task.decision)}”` : ''}.`;
    case 'expired':
      return 'The time for an answer is over.';
    case 'cancelled':
      return 'The run went on without an answer.';
    case 'suspended':
      return 'The run has failed. If it is tried again, the task may open again.';
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
const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const INSTANT_FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const NUMBERS = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 6 });

function factValue(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return NUMBERS.format(value);
  if (typeof value !== 'string') return '';
  if (Number.isNaN(Date.parse(value))) return value;
  if (DAY.test(value)) return DAY_FORMAT.format(new Date(value)).replace(',', '');
  return INSTANT.test(value) ? INSTANT_FORMAT.format(new Date(value)) : value;
}

/** What the run was started with, or knows: short single values, except what the task says already. */
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
