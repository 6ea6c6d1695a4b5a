/* flow/steps/problems.ts — what the engine finds wrong in a flow of steps, on the step it is about and in the words of the screen. Its
 * own words name fields of the document; those that we have no better words for stay as they are. */
import type { Flow } from '../flow';
import { nodeAt } from '../problem-place';
import { t } from '../../texts/flow';

export interface StepProblem {
  readonly code: string;
  readonly message: string;
  readonly pointer: string;
  readonly nodeId?: string;
}

const REQUIRED: ReadonlyMap<string, string> = new Map([
  ['jobType', t.itDoesNotSayWhich],
  ['nextStep', t.nothingFollowsThisStep],
  ['conditionalNextSteps', t.noWayLeads],
  ['transformations', t.itSetsNoValueYet],
  ['parallelNextSteps', t.aSplitNeedsTwoWays],
  ['joinStep', t.itDoesNotSayWhere],
  ['decisionTable', t.itHasNoRulesYet],
  ['name', t.itHasNoName],
  ['duration', t.aTimerDoesNotSay],
  ['targetStepId', t.aTimerDoesNotSay2],
]);

const unescape = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

function sayIt({ code, message, pointer }: StepProblem): string {
  const path = pointer.split('/').map(unescape);
  const required = code === 'REQUIRED' ? REQUIRED.get(path.at(-1) ?? '') : undefined;
  if (required !== undefined && pointer.startsWith('/steps/')) return required;
  if (code === 'BAD_EXPRESSION' && path.at(-2) === 'conditionalNextSteps' && path.at(-1)?.trim() === '')
    return t.aWayHasNoCondition;
  // The step is known from where the problem stands.
  const bare = message.replace(/^step "(?:[^"\\]|\\.)*"(?: \([A-Z_]+\))?:?\s*/, '');
  return bare === '' ? message : bare.charAt(0).toUpperCase() + bare.slice(1);
}

export function placeProblem<Each extends StepProblem>(flow: Flow, problem: Each): Each {
  const nodeId = problem.nodeId ?? nodeAt(flow, problem.pointer);
  return { ...problem, message: sayIt(problem), ...(nodeId === undefined ? {} : { nodeId }) };
}
