/* pages/builder/test-plan.ts — what a test is told: where it starts, what goes in, what people answer in each round and for each item,
 * which events come, which calls fail. Everything that the panel shows is sent, and nothing else. */
import type { TrialAnswer, TrialRequest } from '../../api/trials';
import { answersOf } from '../../flow/answers';
import { inputSchemaOf } from '../../flow/data';
import { findNode, type Flow, type FlowNode, linesFrom, nodesOf, roleOf, startsOf } from '../../flow/flow';
import { isGraph, isSteps } from '../../flow/format';
import { isList, isObject, type Json, type JsonObject, textOf } from '../../flow/json';
import { t } from '../../texts/trial';
import { firstInput, sampleInput } from './sample-input';

/** One answer, or one event: after how long, and with which values. */
export interface Round {
  readonly decision: string;
  /** A duration, or `never`. */
  readonly after: string;
  readonly values: JsonObject | null;
}

/** The parts of a test that somebody has changed; what is absent is as the flow suggests it. */
export interface TestPlan {
  readonly start?: string;
  readonly inputs: { readonly [start: string]: Json };
  /** By step: rounds in order, of which the last one is for all that follow. */
  readonly rounds: { readonly [node: string]: readonly Round[] };
  readonly fails: readonly string[];
  readonly pins: JsonObject;
  /** The transitions that are asked of an entity, separated by commas. */
  readonly transitions: string;
}

export const NO_PLAN: TestPlan = { inputs: {}, rounds: {}, fails: [], pins: {}, transitions: '' };

export const NEVER = 'never';
const LATER_THAN_ANY_DEADLINE = '3000d';

/** Somebody or something outside that a step waits for. */
export interface Outsider {
  readonly node: FlowNode;
  readonly kind: 'person' | 'signal' | 'event';
  readonly answers: readonly string[];
  readonly schema: Json | undefined;
  readonly isInLoop: boolean;
}

const isEntity = (flow: Flow) => typeof flow['entityName'] === 'string';

/** Starts that begin a run; others only bring what runs wait for. */
export const beginnings = (flow: Flow): readonly FlowNode[] =>
  !isGraph(flow) || isEntity(flow)
    ? []
    : startsOf(flow).filter((start) => linesFrom(flow, start.id).length > 0);

export function startOf(flow: Flow, plan: TestPlan): FlowNode | undefined {
  const starts = beginnings(flow);
  return starts.find((start) => start.id === plan.start) ?? starts[0];
}

export const inputOf = (flow: Flow, plan: TestPlan): Json =>
  plan.inputs[startOf(flow, plan)?.id ?? ''] ?? firstInput(flow, startOf(flow, plan));

export function outsidersOf(flow: Flow): readonly Outsider[] {
  return nodesOf(flow).flatMap((node): Outsider[] => {
    const isInLoop = node.parent !== null;
    if (roleOf(node.type) === 'person') {
      const schema = node.config['formSchema'];
      return [{ node, kind: 'person', answers: answersOf(node), schema, isInLoop }];
    }
    if (node.type === 'WAIT') return [{ node, kind: 'signal', answers: [], schema: undefined, isInLoop }];
    // An event that the author has written for tests comes by itself.
    if (node.type !== 'wait_event' || node.config['testOutput'] !== undefined) return [];
    const trigger = findNode(flow, textOf(node.config['trigger']));
    return [{ node, kind: 'event', answers: [], schema: inputSchemaOf(flow, trigger), isInLoop }];
  });
}

/** Steps whose call a test can let fail. */
export const callsOf = (flow: Flow): readonly FlowNode[] =>
  nodesOf(flow).filter((node) => node.type.startsWith('action_') || node.type === 'SERVICE_TASK');

/** Answers of the steps format are made up by the engine, from what the next conditions ask for, until somebody fills one in. */
const isMadeUp = (flow: Flow, { kind }: Outsider) => isSteps(flow) && kind !== 'event';

function firstRound(flow: Flow, plan: TestPlan, outsider: Outsider): Round {
  if (isMadeUp(flow, outsider)) return { decision: '', after: '1h', values: null };
  const test = outsider.node.config['testDecision'];
  const decision = typeof test === 'string' ? test : (outsider.answers[0] ?? '');
  if (outsider.kind !== 'event')
    return {
      decision,
      after: '1h',
      values: isObject(outsider.schema) ? sampleInput(outsider.schema) : null,
    };
  // The input has the key by which an event finds its run.
  const input = inputOf(flow, plan);
  return { decision: '', after: '1h', values: isObject(input) ? input : {} };
}

export const roundsOf = (flow: Flow, plan: TestPlan, outsider: Outsider): readonly Round[] => {
  const kept = plan.rounds[outsider.node.id];
  return kept === undefined || kept.length === 0 ? [firstRound(flow, plan, outsider)] : kept;
};

/** "each time"; with several "1st time", "2nd time", "after that"; in a loop "item 1", "every other item". */
export function sayRound({ isInLoop }: Outsider, at: number, count: number): string {
  if (count === 1) return isInLoop ? t.eachItem : t.eachTime;
  if (at === count - 1) return isInLoop ? t.everyOtherItem : t.afterThat;
  if (isInLoop) return t.item(at + 1);
  return t.nthTime(at + 1);
}

/** Whether the step goes on by itself if nobody answers. */
export function canBeLate(flow: Flow, { node }: Outsider): boolean {
  const timers = node.config['boundaryEvents'];
  return isSteps(flow)
    ? isList(timers) && timers.length > 0
    : (node.config['timeout'] ?? node.raw['timeout']) !== undefined;
}

function answersFor(flow: Flow, plan: TestPlan, outsider: Outsider): readonly TrialAnswer[] {
  const rounds = roundsOf(flow, plan, outsider);
  const hasDeadline = canBeLate(flow, outsider);
  return rounds.flatMap(({ decision, after, values }, at): TrialAnswer[] => {
    const isNever = after === NEVER;
    if (isNever && !hasDeadline) return [];
    if (isMadeUp(flow, outsider) && values === null && !isNever && after === '1h') return [];
    const isLast = at === rounds.length - 1;
    return [
      {
        node: outsider.node.id,
        after: isNever ? LATER_THAN_ANY_DEADLINE : after,
        ...(decision === '' ? {} : { decision }),
        ...(values === null ? {} : { variables: values }),
        ...(outsider.isInLoop && !isLast ? { item: at } : {}),
        ...(isLast || outsider.isInLoop ? { repeat: true } : {}),
      },
    ];
  });
}

/** The request to the engine, but for the document. */
export function requestOf(flow: Flow, plan: TestPlan): Omit<TrialRequest, 'document' | 'text'> {
  if (isEntity(flow)) {
    const asked = plan.transitions.split(',').map((word) => ({ transition: word.trim() }));
    const answers = asked.filter(({ transition }) => transition !== '');
    return { input: inputOf(flow, plan), answers, pins: plan.pins };
  }
  const start = startOf(flow, plan);
  const outsiders = outsidersOf(flow);
  const isSilent = outsiders.some((each) =>
    roundsOf(flow, plan, each).some(({ after }) => after === NEVER && each.kind === 'person'),
  );
  const calls = new Set(callsOf(flow).map((node) => node.id));
  const failing = plan.fails.filter((id) => calls.has(id));
  const error = { error: { code: 'TEST_FAILURE', message: t.theTestLetsItFail } };
  return {
    input: inputOf(flow, plan),
    ...(start === undefined ? {} : { trigger: start.id }),
    answers: outsiders.flatMap((each) => answersFor(flow, plan, each)),
    pins: {
      ...Object.fromEntries(Object.entries(plan.pins).filter(([id]) => calls.has(id))),
      ...Object.fromEntries(failing.map((id) => [id, error])),
    },
    ...(isSilent ? { unanswered: 'wait' as const } : {}),
  };
}
