/* pages/builder/kinds.ts — the types of steps on the screen: their look, their place in the list, what a new one begins with.
 * Their names are the engine's (GET /api/node-types); the short lines below them are ours. */
import { type Flow, isStartType } from '../../flow/flow';
import { isSteps } from '../../flow/format';
import type { JsonObject } from '../../flow/json';
import { sayName } from '../../flow/schema-fields';
import type { IconName } from '../../ui/icon';
import { type KindLook, kindLook } from '../../ui/kinds';
import { lookOf } from '../../ui/words';

const KIND_OF: { readonly [type: string]: string } = {
  human_task: 'person',
  delay: 'wait',
  wait_event: 'event',
  decision: 'choose',
  match: 'choose',
  LogicGate: 'choose',
  SwitchGate: 'choose',
  parallel: 'fork',
  FanInGate: 'join',
  for_each: 'scope',
  StaticForLoop: 'scope',
  set_variables: 'set',
  SetContext: 'set',
  action_subflow: 'child',
  continue_as: 'end',
  end: 'end',
  USER_TASK: 'person',
  DECISION: 'choose',
  DECISION_TABLE: 'table',
  TRANSFORMATION: 'set',
  WAIT: 'signal',
  PARALLEL_GATEWAY: 'fork',
  JOIN_GATEWAY: 'join',
  END: 'end',
};
const ICONS: { readonly [type: string]: IconName } = {
  action_db: 'database',
  action_email: 'mail',
  action_http: 'web',
  match: 'match',
  trigger_cron: 'calendar',
  trigger_webhook: 'web',
  trigger_mqtt: 'signal',
  trigger_poll: 'database',
};

export function kindOf(type: string): string {
  return isStartType(type) ? 'start' : (KIND_OF[type] ?? 'task');
}

export function lookOfType(type: string): KindLook {
  const look = kindLook(kindOf(type), type);
  const icon = ICONS[type];
  return icon === undefined ? look : { ...look, icon };
}

export interface PaletteEntry {
  readonly type: string;
  readonly help: string;
}

export interface PaletteGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

const GRAPH_PALETTE: readonly PaletteGroup[] = [
  {
    title: 'When this happens',
    entries: [
      { type: 'trigger_manual', help: 'somebody fills in a form' },
      { type: 'trigger_cron', help: 'at a time, again and again' },
      { type: 'trigger_webhook', help: 'a web form or another system' },
      { type: 'trigger_mqtt', help: 'a device or a sensor' },
      { type: 'trigger_poll', help: 'new rows in a list' },
    ],
  },
  {
    title: 'Do this',
    entries: [
      { type: 'action_email', help: 'write to somebody' },
      { type: 'action_http', help: 'send or fetch data' },
      { type: 'action_db', help: 'read or keep rows' },
      { type: 'action_subflow', help: 'a part that others use, too' },
      { type: 'set_variables', help: 'remember for later' },
    ],
  },
  {
    title: 'Ask and wait',
    entries: [
      { type: 'human_task', help: 'and wait for the answer' },
      { type: 'delay', help: 'two days, or until a date' },
      { type: 'wait_event', help: 'until something arrives' },
    ],
  },
  {
    title: 'Choose a way',
    entries: [
      { type: 'decision', help: 'the first way that fits' },
      { type: 'match', help: 'every way that fits' },
      { type: 'parallel', help: 'all ways, then go on' },
    ],
  },
  {
    title: 'Repeat, finish',
    entries: [
      { type: 'for_each', help: 'once per thing in a list' },
      { type: 'continue_as', help: 'and this one ends' },
      { type: 'end', help: 'it is done' },
    ],
  },
];

const STEPS_PALETTE: readonly PaletteGroup[] = [
  {
    title: 'When this happens',
    entries: [
      { type: 'trigger_cron', help: 'at a time, again and again' },
      { type: 'trigger_webhook', help: 'a web form or another system' },
      { type: 'trigger_mqtt', help: 'a device or a sensor' },
      { type: 'trigger_poll', help: 'new rows in a list' },
    ],
  },
  {
    title: 'Do this',
    entries: [
      { type: 'SERVICE_TASK', help: 'a worker takes the job' },
      { type: 'TRANSFORMATION', help: 'remember for later' },
      { type: 'DECISION_TABLE', help: 'look up by rules' },
    ],
  },
  {
    title: 'Ask and wait',
    entries: [
      { type: 'USER_TASK', help: 'and wait for the answer' },
      { type: 'WAIT', help: 'until somebody sends one' },
    ],
  },
  {
    title: 'Choose a way',
    entries: [
      { type: 'DECISION', help: 'the first way that fits' },
      { type: 'PARALLEL_GATEWAY', help: 'all ways at the same time' },
      { type: 'JOIN_GATEWAY', help: 'where ways of a split meet' },
    ],
  },
  { title: 'Finish', entries: [{ type: 'END', help: 'it is done' }] },
];

/** What can be added to a flow of a format. */
export const paletteOf = (flow: Flow): readonly PaletteGroup[] =>
  isSteps(flow) ? STEPS_PALETTE : GRAPH_PALETTE;

/** What a new step has already: what most people would fill in. */
export function newConfig(type: string): JsonObject {
  switch (type) {
    case 'human_task':
      return { decisions: ['approve', 'decline'] };
    case 'delay':
      return { duration: '1d' };
    case 'trigger_cron':
      return { scheduleMode: 'Cron', cronExpression: '0 9 * * 1-5' };
    case 'action_http':
      return { method: 'POST' };
    case 'TRANSFORMATION':
      return { transformations: {} };
    case 'DECISION':
      return { conditionalNextSteps: {} };
    case 'DECISION_TABLE':
      return { hitPolicy: 'F', decisionTable: { rules: [{ when: {}, outputs: {} }] } };
    default:
      return {};
  }
}

/** The fields that show at once, in this order; the others are behind "More choices". */
export const FIRST_FIELDS: { readonly [type: string]: readonly string[] } = {
  trigger_manual: [],
  trigger_cron: ['scheduleMode', 'cronExpression', 'intervalValue', 'intervalUnit', 'timeZone'],
  trigger_webhook: ['path', 'method', 'authType', 'secretRef'],
  trigger_mqtt: ['brokerRef', 'topic', 'payloadFormat', 'schemaRef'],
  trigger_poll: ['sourceType', 'connectionRef', 'url', 'query', 'pollingInterval', 'pollingUnit'],
  action_email: ['to', 'subject', 'body'],
  action_http: ['method', 'url', 'body'],
  action_db: ['connectionRef', 'sql', 'params'],
  action_subflow: ['definition', 'version', 'input', 'wait'],
  continue_as: ['definition', 'input'],
  set_variables: ['values'],
  human_task: ['title', 'groups', 'assignees', 'decisions', 'formSchema', 'timeout'],
  delay: ['duration', 'until'],
  wait_event: ['trigger', 'timeout', 'early'],
  for_each: ['items', 'mode'],
  decision: [],
  match: [],
  parallel: ['join'],
  end: ['result'],
  start: [],
  SERVICE_TASK: ['jobType', 'retryCount', 'retryBackoff', 'boundaryEvents'],
  USER_TASK: ['assignee', 'candidateGroups', 'formSchema', 'dueDate', 'boundaryEvents'],
  WAIT: ['boundaryEvents'],
  DECISION: [],
  DECISION_TABLE: ['hitPolicy', 'decisionTable'],
  TRANSFORMATION: ['transformations'],
  PARALLEL_GATEWAY: ['joinStep'],
  JOIN_GATEWAY: [],
  END: ['ends', 'chain'],
};

/** Choices of the engine in our words; by `field.word` where a word means different things. */
export const CHOICE_WORDS: { readonly [word: string]: string } = {
  sequential: 'One after the other',
  parallel: 'Several at the same time',
  fail: 'Stop the loop',
  continue: 'Go on with the next',
  completed: lookOf('completed').word,
  failed: lookOf('failed').word,
  Interval: 'Every so often',
  Cron: 'At fixed times',
  MapOrCreate: 'Go on with it, else begin anew',
  MapOrDiscard: 'Go on with it, else ignore',
  AlwaysCreate: 'Begin another one',
  MapOrReplace: 'Begin anew instead of it',
  Discard: 'Leave it out',
  FireImmediately: 'Do it at once',
  AckOnArrival: 'At once',
  RespondOnComplete: 'When the flow is done',
  None: 'Anybody',
  ApiKey: 'Who has the key',
  BasicAuth: 'Who has name and password',
  HMAC: 'Who signs the request',
  SqlDatabase: 'A database',
  RestApi: 'A web service',
  all: 'all have arrived',
  any: 'the first has arrived',
  quorum: 'enough have arrived',
  U: 'It is a mistake: one must fit',
  F: 'The first one counts',
  A: 'All of them must say the same',
  R: 'All count: a list, in order',
  C: 'All count: a list',
  'C+': 'Their sum counts',
  'C#': 'It counts how many fit',
  'C>': 'The largest counts',
  'C<': 'The smallest counts',
  instance: 'The whole run',
  branch: 'This way only; others go on',
  Persistent: 'Safe, on disk',
  Ephemeral: 'In memory only',
  Reject: 'Is refused',
  Queue: 'Waits for its turn',
  'onFailure.fail': 'It stops as it is',
  'onFailure.compensate': 'What was done is undone',
  'compensationOrder.reverse': 'The latest first',
  'compensationOrder.parallel': 'All at the same time',
  'backoffStrategy.None': 'No pause',
  Fixed: 'Always the same',
  Linear: 'Longer by the first one each time',
  Exponential: 'Several times longer each time',
  RawBinary: 'Any bytes',
  Protobuf: 'Protocol Buffers',
  JSON: 'JSON',
};

export const sayChoice = (field: string, word: string): string =>
  CHOICE_WORDS[`${field}.${word}`] ??
  CHOICE_WORDS[word] ??
  (word === word.toUpperCase() ? word : sayName(word));
