/* flow/new-id.ts — ids of new steps: a word for their type, and a number past every number of the document. */
import type { NodeId } from './flow';
import { isStartType } from './roles';

const STEMS: { readonly [type: string]: string } = {
  human_task: 'ask',
  action_email: 'email',
  action_http: 'call',
  action_db: 'data',
  action_mcp: 'tool',
  action_subflow: 'run',
  continue_as: 'again',
  set_variables: 'set',
  delay: 'wait',
  wait_event: 'event',
  parallel: 'split',
  for_each: 'each',
  SERVICE_TASK: 'do',
  USER_TASK: 'ask',
  DECISION: 'decide',
  DECISION_TABLE: 'table',
  TRANSFORMATION: 'set',
  WAIT: 'wait',
  PARALLEL_GATEWAY: 'split',
  JOIN_GATEWAY: 'join',
  END: 'end',
};

export function newId(type: string, number: number): NodeId {
  const stem = isStartType(type) ? 'start' : (STEMS[type] ?? type.replace(/[^A-Za-z0-9_]/g, '_'));
  return `${stem}_${number}`;
}
