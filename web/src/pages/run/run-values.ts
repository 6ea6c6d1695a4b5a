/* pages/run/run-values.ts — the data of a run of the graph format, by what they come from: the engine keeps them under `instance`,
 * `trigger`, `triggers.<step>`, `nodes.<step>` and `vars`; people know the names of the steps. */
import { t } from '../../texts/run';

/** Values that come from one place: a step, an arrival, or the run itself. */
export interface ValueGroup {
  readonly title: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type Titles = ReadonlyMap<string, string>;

const RUN_FIELDS: Readonly<Record<string, string>> = {
  businessKey: t.key,
  id: t.id2,
  definitionId: t.flow,
  createdAt: t.started2,
  isTest: t.isATest,
};
const FIELDS: Readonly<Record<string, string>> = { triggered_at: t.time, received_at: t.time };
/** The headers of a web request; one line each, or they would hide what it brought. */
export const NOT_OPENED: ReadonlySet<string> = new Set(['headers', 'query']);
const ARRIVAL = t.whatCameLast;
const RUN = t.thisRun;
const VARIABLES = t.variables;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const wordIn = (words: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(words, name) ? (words[name] ?? name) : name;

/** The step that `nodes.<step>` or `triggers.<step>` names; null: it is neither. */
const stepOf = (name: string): string | null => /^(?:nodes|triggers)\.(.*)$/s.exec(name)?.[1] ?? null;

/** The output of a step: the fields of its payload first, without the word. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return { '': value };
  const { payload, ...rest } = value;
  const first = isObject(payload) ? payload : payload === undefined ? {} : { payload };
  const others = Object.entries(rest).map(([name, each]) => [wordIn(FIELDS, name), each] as const);
  return { ...first, ...Object.fromEntries(others.filter(([name]) => !Object.hasOwn(first, name))) };
}

/** Newest first: what the last steps gave, then what came, then the run itself. Null: these are no data of the graph format. */
export function groupsOf(data: unknown, titles: Titles): readonly ValueGroup[] | null {
  if (!isObject(data) || !isObject(data['instance']) || !isObject(data['vars'])) return null;
  const steps: ValueGroup[] = [];
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    const step = stepOf(name);
    if (name === 'instance' || name === 'vars' || name === 'trigger') continue;
    if (step === null) rest[name] = value;
    // A trigger is a step, too: what it gave is there twice.
    else if (!name.startsWith('triggers.') || !Object.hasOwn(data, `nodes.${step}`))
      steps.unshift({ title: titles.get(step) ?? step, value: fieldsOf(value) });
  }
  const isKnown = Object.keys(data).some((name) => name.startsWith('triggers.'));
  const arrival =
    isKnown || data['trigger'] === undefined ? [] : [{ title: ARRIVAL, value: fieldsOf(data['trigger']) }];
  const run = Object.entries(data['instance']).map(([name, each]) => [wordIn(RUN_FIELDS, name), each]);
  return [
    { title: VARIABLES, value: { ...rest, ...data['vars'] } },
    ...steps,
    ...arrival,
    { title: RUN, value: Object.fromEntries(run) as Record<string, unknown> },
  ].filter(({ value }) => Object.keys(value).length > 0);
}

/** Where something changed, in the same words: `nodes.ask.decision` is "Ask the manager: decision". */
export function wordsOfPath(path: string, titles: Titles): string {
  if (path === '') return t.all;
  const [root = '', ...names] = path.split('.');
  const rest = names.join('.');
  if (root === 'vars' && rest !== '') return rest;
  if (root === 'instance' && rest !== '') return `${RUN}: ${wordIn(RUN_FIELDS, rest)}`;
  const said = (title: string, field: string) =>
    field === '' ? title : `${title}: ${wordIn(FIELDS, field.replace(/^payload\./, ''))}`;
  if (root === 'trigger') return said(ARRIVAL, rest);
  if (root !== 'nodes' && root !== 'triggers') return path;
  // Ids may have dots: the longest that fits is meant.
  for (let count = names.length; count > 0; count--) {
    const title = titles.get(names.slice(0, count).join('.'));
    if (title !== undefined) return said(title, names.slice(count).join('.'));
  }
  return path;
}
