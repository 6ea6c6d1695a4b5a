/* flow/serverless/say.ts — states, choices, actions and retries of a Serverless Workflow in words. Pure. */
import { t } from '../../texts/serverless';
import { formatCount, listWords } from '../../texts/say';
import { sayDuration } from '../duration';
import { isList, isObject, type Json, type JsonObject, textOf } from '../json';

const WORDS_MAX = 60;
export const cut = (text: string): string =>
  text.length > WORDS_MAX ? `${text.slice(0, WORDS_MAX - 1)}…` : text;

const objects = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : [];

/** "$.order.total" is "order.total". */
export const sayPath = (path: string): string => path.replace(/^\$\.?/, '') || t.theData;

const sayValue = (value: Json | undefined): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number'
      ? formatCount(value)
      : value === undefined
        ? ''
        : JSON.stringify(value);

const OPERATORS: ReadonlyMap<string, (path: string, value: string) => string> = new Map([
  ['exists', (path) => t.isThere(path)],
  ['equals', t.equals],
  ['lessthan', t.lessThan],
  ['lessthanequals', t.lessThanEquals],
  ['greaterthan', t.greaterThan],
  ['greaterthanequals', t.greaterThanEquals],
]);

function sayTest(test: JsonObject, depth: number): string {
  if (depth > 4) return '…';
  const parts: string[] = [];
  if (test['path'] !== undefined || test['operator'] !== undefined) {
    const path = sayPath(textOf(test['path']));
    const operator = textOf(test['operator']);
    const value = sayValue(test['value']);
    const say = OPERATORS.get(operator.toLowerCase());
    parts.push(say === undefined ? [path, operator, value].join(' ').trim() : say(path, value));
  }
  for (const [name, last] of [
    ['and', 'and'],
    ['or', 'or'],
  ] as const)
    if (isList(test[name]))
      parts.push(
        listWords(
          objects(test[name]).map((each) => sayTest(each, depth + 1)),
          last,
        ),
      );
  if (isObject(test['not'])) parts.push(t.notSo(sayTest(test['not'], depth + 1)));
  return listWords(parts);
}

/** When a choice holds: "order.total is over 1000". */
export const sayChoice = (choice: JsonObject): string => cut(sayTest(choice, 0)) || t.noConditionYet;

/** The text of a condition, which may be an object with a language. */
export function sayCondition(value: Json | undefined): string {
  if (!isObject(value)) return cut(textOf(value));
  return value['condition'] === undefined ? cut(textOf(value['body'])) : sayCondition(value['condition']);
}

/** The event that an entry of an EVENT state waits for, and for how long. */
export function sayEntry(entry: JsonObject): string {
  const event = sayCondition(entry['condition']) || t.noEventYet;
  const timeout = textOf(entry['timeout']);
  return timeout === '' ? event : t.within(event, sayDuration(timeout));
}

/** The name of an action: its own name, else that of its function. */
export function nameOfAction(action: JsonObject): string {
  const reference = action['functionref'];
  const refname = isObject(reference) ? textOf(reference['refname']) : textOf(reference);
  return textOf(action['name']) || refname || t.noFunctionYet;
}

/** How often and when an action is tried again: "3 times, 5 seconds apart, if …". */
export function sayRetry(rule: JsonObject): string {
  const interval = textOf(rule['interval']);
  const repeated = /^R(\d*)\/(.+)$/i.exec(interval);
  const pause = sayDuration(repeated?.[2] ?? interval) || interval;
  const limits = [repeated?.[1], rule['max']]
    .filter((each) => each !== undefined && each !== '' && each !== null)
    .map(Number);
  const isEndless = repeated?.[1] === '' && limits.length === 0;
  const count = limits.length === 0 ? 0 : Math.min(...limits);
  const often = isEndless ? t.again(pause) : count === 0 ? t.neverAgain : t.nTimes(count, pause);
  const condition = sayCondition(rule['condition']);
  return condition === '' ? often : t.ifSo(often, condition);
}

const hasRetry = (actions: readonly JsonObject[]) =>
  actions.some((action) => objects(action['retry']).length > 0);

function sayActions(raw: JsonObject): string {
  const actions = objects(raw['actions']);
  if (actions.length === 0) return t.nothingToDo;
  const isParallel = textOf(raw['actionMode']).toUpperCase() === 'PARALLEL';
  const names = actions.map(nameOfAction);
  const words = isParallel ? listWords(names) : names.join(t.then);
  return hasRetry(actions) ? t.withRetries(words) : words;
}

function sayOwn(raw: JsonObject, type: string): string {
  switch (type) {
    case 'OPERATION':
      return sayActions(raw);
    case 'DELAY':
      return sayDuration(textOf(raw['timeDelay'])) || textOf(raw['timeDelay']);
    case 'EVENT':
      return listWords(
        objects(raw['eventActions']).map((entry) => sayCondition(entry['condition']) || t.noEventYet),
        'or',
      );
    case 'SUBFLOW':
      return textOf(raw['workflowId']);
    case 'PARALLEL':
      return t.nBranches(objects(raw['branches']).length);
    case 'RELAY':
      return isObject(raw['inject']) ? Object.keys(raw['inject']).join(', ') : '';
    default:
      return '';
  }
}

const TYPE_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(t.TYPES));

/** The line below the name of a state: its actions and events, whether it repeats, whether the flow ends there. */
export function captionOfState(raw: JsonObject, type: string): string {
  const loop = isObject(raw['loop']) ? sayPath(textOf(raw['loop']['inputCollection'])) : '';
  return [
    loop === '' ? '' : t.forEachOf(loop),
    [TYPE_WORDS.get(type) ?? type, cut(sayOwn(raw, type))].filter((word) => word !== '').join(': '),
    raw['end'] === true ? t.ends : '',
  ]
    .filter((word) => word !== '')
    .join(' · ');
}

/** When the engine starts it by itself. */
export function captionOfStart(document: JsonObject): string {
  const start = document['startsAt'];
  const schedule = isObject(start) && isObject(start['schedule']) ? start['schedule'] : null;
  if (schedule === null) return t.start;
  const every = textOf(schedule['interval']);
  return every === '' ? t.onSchedule(textOf(schedule['cron'])) : t.every(sayDuration(every));
}
