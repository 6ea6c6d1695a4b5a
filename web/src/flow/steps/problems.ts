/* flow/steps/problems.ts — what the engine finds wrong in a flow of steps, on the step it is about and in the words of the screen. Its
 * own words name fields of the document; those that we have no better words for stay as they are. */
import type { Flow } from '../flow';
import { nodeAt } from '../problem-place';

export interface StepProblem {
  readonly code: string;
  readonly message: string;
  readonly pointer: string;
  readonly nodeId?: string;
}

const REQUIRED: ReadonlyMap<string, string> = new Map([
  ['jobType', 'It does not say which kind of job a worker takes.'],
  ['nextStep', 'Nothing follows this step.'],
  ['conditionalNextSteps', 'No way leads on from this decision.'],
  ['transformations', 'It sets no value yet.'],
  ['parallelNextSteps', 'A split needs two ways or more.'],
  ['joinStep', 'It does not say where its ways meet again.'],
  ['decisionTable', 'It has no rules yet.'],
  ['name', 'It has no name.'],
  ['duration', 'A timer does not say after which time.'],
  ['targetStepId', 'A timer does not say where it leads.'],
]);

const unescape = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

function sayIt({ code, message, pointer }: StepProblem): string {
  const path = pointer.split('/').map(unescape);
  const required = code === 'REQUIRED' ? REQUIRED.get(path.at(-1) ?? '') : undefined;
  if (required !== undefined && pointer.startsWith('/steps/')) return required;
  if (code === 'BAD_EXPRESSION' && path.at(-2) === 'conditionalNextSteps' && path.at(-1)?.trim() === '')
    return 'A way has no condition yet.';
  // The step is known from where the problem stands.
  const bare = message.replace(/^step "(?:[^"\\]|\\.)*"(?: \([A-Z_]+\))?:?\s*/, '');
  return bare === '' ? message : bare.charAt(0).toUpperCase() + bare.slice(1);
}

export function placeProblem<Each extends StepProblem>(flow: Flow, problem: Each): Each {
  const nodeId = problem.nodeId ?? nodeAt(flow, problem.pointer);
  return { ...problem, message: sayIt(problem), ...(nodeId === undefined ? {} : { nodeId }) };
}
