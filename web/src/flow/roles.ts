/* flow/roles.ts — what a type of step is in a flow, whichever format the flow has. A type that nobody knows is work. */

export type Role = 'start' | 'end' | 'person' | 'choice' | 'split' | 'join' | 'loop' | 'work';

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['start', 'start'],
  ['trigger_manual', 'start'],
  ['trigger_cron', 'start'],
  ['trigger_webhook', 'start'],
  ['trigger_mqtt', 'start'],
  ['trigger_poll', 'start'],
  ['end', 'end'],
  ['END', 'end'],
  ['continue_as', 'end'],
  ['human_task', 'person'],
  ['USER_TASK', 'person'],
  ['decision', 'choice'],
  ['match', 'choice'],
  ['DECISION', 'choice'],
  ['parallel', 'split'],
  ['PARALLEL_GATEWAY', 'split'],
  ['JOIN_GATEWAY', 'join'],
  ['for_each', 'loop'],
  ['PARALLEL', 'loop'],
  ['branch', 'loop'],
]);

export const roleOf = (type: string): Role => ROLES.get(type) ?? 'work';
export const isStartType = (type: string): boolean => roleOf(type) === 'start';
export const isEndType = (type: string): boolean => roleOf(type) === 'end';
/** Several ways leave it. */
export const isGateway = (type: string): boolean => roleOf(type) === 'choice' || roleOf(type) === 'split';

/** Ports of lines that are taken when something has failed. */
export const isErrorPort = (port: string): boolean => /^(error|retry)\b/.test(port);
