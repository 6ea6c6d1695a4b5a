/* pages/builder/kinds.ts — the types of steps on the screen: their look, their place in the list, what a new one begins with.
 * Their names are the engine's (GET /api/node-types); the short lines below them are ours. */
import type { JsonObject } from '../../flow/json';
import { isStartType } from '../../flow/flow';
import type { IconName } from '../../ui/icon';
import { type KindLook, kindLook } from '../../ui/kinds';

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
  end: 'end',
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

export const PALETTE: readonly PaletteGroup[] = [
  {
    title: 'When this happens',
    entries: [
      { type: 'trigger_manual', help: 'somebody fills in a form' },
      { type: 'trigger_cron', help: 'at a time, again and again' },
      { type: 'trigger_webhook', help: 'a web form or another system' },
    ],
  },
  {
    title: 'Do this',
    entries: [
      { type: 'action_email', help: 'write to somebody' },
      { type: 'action_http', help: 'send or fetch data' },
      { type: 'action_db', help: 'read or keep rows' },
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
      { type: 'end', help: 'it is done' },
    ],
  },
];

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
    default:
      return {};
  }
}

/** The fields that show at once, in this order; the others are behind "More choices". */
export const FIRST_FIELDS: { readonly [type: string]: readonly string[] } = {
  trigger_manual: ['inputSchema'],
  trigger_cron: ['scheduleMode', 'cronExpression', 'intervalValue', 'intervalUnit', 'timeZone'],
  trigger_webhook: ['path', 'inputSchema'],
  trigger_mqtt: ['brokerRef', 'topic'],
  trigger_poll: ['sourceType', 'url', 'query', 'pollingInterval', 'pollingUnit'],
  action_email: ['to', 'subject', 'body'],
  action_http: ['method', 'url', 'body'],
  action_db: ['connectionRef', 'sql', 'params'],
  set_variables: ['values'],
  human_task: ['title', 'groups', 'assignees', 'decisions', 'formSchema', 'timeout'],
  delay: ['duration', 'until'],
  wait_event: ['trigger', 'timeout'],
  for_each: ['items', 'mode'],
  decision: [],
  match: [],
  parallel: ['join'],
  end: ['result'],
};

/** Choices of the engine in our words. */
export const CHOICE_WORDS: { readonly [word: string]: string } = {
  sequential: 'One after the other',
  parallel: 'Several at the same time',
  fail: 'Stop the loop',
  continue: 'Go on with the next',
  completed: 'Done',
  failed: 'Failed',
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
};
