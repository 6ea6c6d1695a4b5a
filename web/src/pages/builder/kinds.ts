/* pages/builder/kinds.ts — the types of steps on the screen: their look, their place in the list, what a new one begins with.
 * Their names are the engine's (GET /api/node-types); the short lines below them are ours. */
import { type Flow, isStartType } from '../../flow/flow';
import { formatOf, isSteps, type Palette } from '../../flow/format';
import type { JsonObject } from '../../flow/json';
import { sayName } from '../../flow/schema-fields';
import type { IconName } from '../../ui/icon';
import { type KindLook, kindLook } from '../../ui/kinds';
import { lookOf } from '../../ui/words';
import { t } from '../../texts/panel';

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
  SWITCH: 'choose',
  DELAY: 'wait',
  EVENT: 'event',
  RELAY: 'set',
  SUBFLOW: 'child',
  PARALLEL: 'fork',
  branch: 'scope',
};
const ICONS: { readonly [type: string]: IconName } = {
  action_db: 'database',
  action_email: 'mail',
  action_http: 'web',
  action_mcp: 'worker',
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

const GRAPH_PALETTE: Palette = [
  {
    title: t.whenThisHappens,
    entries: [
      { type: 'trigger_manual', help: t.somebodyFillsInAForm },
      { type: 'trigger_cron', help: t.atATimeAgain },
      { type: 'trigger_webhook', help: t.aWebFormOrAnother },
      { type: 'trigger_mqtt', help: t.aDeviceOrASensor },
      { type: 'trigger_poll', help: t.newRowsInAList },
    ],
  },
  {
    title: t.doThis,
    entries: [
      { type: 'action_email', help: t.writeToSomebody },
      { type: 'action_http', help: t.sendOrFetchData },
      { type: 'action_db', help: t.readOrKeepRows },
      { type: 'action_mcp', help: t.whatAnMcpServerOffers },
      { type: 'action_subflow', help: t.aPartThatOthersUse },
      { type: 'set_variables', help: t.rememberForLater },
    ],
  },
  {
    title: t.askAndWait,
    entries: [
      { type: 'human_task', help: t.andWaitForTheAnswer },
      { type: 'delay', help: t.twoDaysOrUntil },
      { type: 'wait_event', help: t.untilSomethingArrives },
    ],
  },
  {
    title: t.chooseAWay,
    entries: [
      { type: 'decision', help: t.theFirstWayThatFits },
      { type: 'match', help: t.everyWayThatFits },
      { type: 'parallel', help: t.allWaysThenGo },
    ],
  },
  {
    title: t.repeatFinish,
    entries: [
      { type: 'for_each', help: t.oncePerThing },
      { type: 'continue_as', help: t.andThisOneEnds },
      { type: 'end', help: t.itIsDone },
    ],
  },
];

const STEPS_PALETTE: Palette = [
  {
    title: t.whenThisHappens,
    entries: [
      { type: 'trigger_cron', help: t.atATimeAgain },
      { type: 'trigger_webhook', help: t.aWebFormOrAnother },
      { type: 'trigger_mqtt', help: t.aDeviceOrASensor },
      { type: 'trigger_poll', help: t.newRowsInAList },
    ],
  },
  {
    title: t.doThis,
    entries: [
      { type: 'SERVICE_TASK', help: t.aWorkerTakesTheJob },
      { type: 'TRANSFORMATION', help: t.rememberForLater },
      { type: 'DECISION_TABLE', help: t.lookUpByRules },
    ],
  },
  {
    title: t.askAndWait,
    entries: [
      { type: 'USER_TASK', help: t.andWaitForTheAnswer },
      { type: 'WAIT', help: t.untilSomebodySendsOne },
    ],
  },
  {
    title: t.chooseAWay,
    entries: [
      { type: 'DECISION', help: t.theFirstWayThatFits },
      { type: 'PARALLEL_GATEWAY', help: t.allWaysAtTheSame },
      { type: 'JOIN_GATEWAY', help: t.whereWaysOfASplit },
    ],
  },
  { title: t.finish, entries: [{ type: 'END', help: t.itIsDone }] },
];

/** The steps that can be added to a flow of a format. */
export const paletteOf = (flow: Flow): Palette =>
  formatOf(flow).palette ?? (isSteps(flow) ? STEPS_PALETTE : GRAPH_PALETTE);

/** The fields that a new step has already: what most people would fill in. */
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
  action_mcp: ['url', 'tool', 'arguments'],
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
  sequential: t.oneAfterTheOther,
  parallel: t.severalAtTheSameTime,
  fail: t.stopTheLoop,
  continue: t.goOnWithTheNext,
  completed: lookOf('completed').word,
  failed: lookOf('failed').word,
  Interval: t.everySoOften,
  Cron: t.atFixedTimes,
  MapOrCreate: t.goOnWithItElse,
  MapOrDiscard: t.goOnWithItElse2,
  AlwaysCreate: t.beginAnotherOne,
  MapOrReplace: t.beginAnewInstead,
  Discard: t.leaveItOut,
  FireImmediately: t.doItAtOnce,
  AckOnArrival: t.atOnce,
  RespondOnComplete: t.whenTheFlowIsDone,
  None: t.anybody,
  ApiKey: t.whoHasTheKey,
  BasicAuth: t.whoHasNameAndPassword,
  HMAC: t.whoSignsTheRequest,
  SqlDatabase: t.aDatabase,
  RestApi: t.aWebService,
  all: t.allHaveArrived,
  any: t.theFirstHasArrived,
  quorum: t.enoughHaveArrived,
  U: t.itIsAMistakeOne,
  F: t.theFirstOneCounts,
  A: t.allOfThemMustSay,
  R: t.allCountAList,
  C: t.allCountAList2,
  'C+': t.theirSumCounts,
  'C#': t.itCountsHowManyFit,
  'C>': t.theLargestCounts,
  'C<': t.theSmallestCounts,
  instance: t.theWholeRun,
  branch: t.thisWayOnlyOthersGo,
  Persistent: t.safeOnDisk,
  Ephemeral: t.inMemoryOnly,
  Reject: t.isRefused,
  Queue: t.waitsForItsTurn,
  'onFailure.fail': t.itStops,
  'onFailure.compensate': t.whatWasDoneIsUndone,
  'compensationOrder.reverse': t.theLatestFirst,
  'compensationOrder.parallel': t.allAtTheSameTime,
  'backoffStrategy.None': t.noPause,
  Fixed: t.alwaysTheSame,
  Linear: t.longerByTheFirstOne,
  Exponential: t.severalTimesLongerEachTime,
  RawBinary: t.anyBytes,
  Protobuf: t.protocolBuffers,
  JSON: 'JSON',
};

export const sayChoice = (field: string, word: string): string =>
  CHOICE_WORDS[`${field}.${word}`] ??
  CHOICE_WORDS[word] ??
  (word === word.toUpperCase() ? word : sayName(word));
