/* flow/steps/read.ts — nodes and lines of the steps format.
 *
 *     (start) ──► first of `steps`          a step leads on by nextStep, conditionalNextSteps,
 *                                           parallelNextSteps and the timers in boundaryEvents
 *
 * A document of this format has no start of its own; the canvas shows one, so that there is a line to put the first step on and a
 * place for what is asked. Where steps stand is in `metadata.places`: the engine keeps metadata and never looks into it. */
import type { Flow, FlowLine, FlowNode, NodeId, Point } from '../flow';
import { keyMaker, listedTriggers, listOf } from '../graph/read';
import { atPath, isList, isObject, type Json, type JsonObject, pointOf, textOf } from '../json';
import { memo } from '../memo';
import { t } from '../../texts/flow';

export const START_ID: NodeId = '(start)';

/** Where in its step a line is written. */
export type Slot =
  | { readonly kind: 'entry' }
  | { readonly kind: 'next' }
  | { readonly kind: 'case'; readonly expression: string }
  | { readonly kind: 'branch'; readonly at: number }
  | { readonly kind: 'timer'; readonly at: number };

const NOTHING: JsonObject = {};

const placeOf = (flow: Flow, id: NodeId): Point | null => pointOf(atPath(flow, ['metadata', 'places', id]));

export const stepNodes = memo((flow): readonly FlowNode[] => {
  const start: FlowNode = {
    id: START_ID,
    type: 'start',
    label: '',
    config: NOTHING,
    parent: null,
    position: placeOf(flow, START_ID),
    list: 'start',
    index: -1,
    raw: NOTHING,
  };
  const steps = listOf(flow, 'steps').flatMap((raw, index): FlowNode[] => {
    if (!isObject(raw)) return [];
    const id = textOf(raw['id']);
    return [
      {
        id,
        type: textOf(raw['type']),
        label: textOf(raw['name']),
        config: raw,
        parent: null,
        position: placeOf(flow, id),
        list: 'steps',
        index,
        raw,
      },
    ];
  });
  const triggers = listedTriggers(flow).map((node) => ({ ...node, position: placeOf(flow, node.id) }));
  return [start, ...triggers, ...steps];
});

const nodeMap = memo(
  (flow): ReadonlyMap<NodeId, FlowNode> => new Map(stepNodes(flow).map((node) => [node.id, node])),
);

export const findStep = (flow: Flow, id: NodeId): FlowNode | undefined => nodeMap(flow).get(id);

export const casesOf = (raw: JsonObject): readonly (readonly [string, Json | undefined])[] =>
  isObject(raw['conditionalNextSteps']) ? Object.entries(raw['conditionalNextSteps']) : [];

export const timersOf = (raw: JsonObject): readonly JsonObject[] =>
  isList(raw['boundaryEvents']) ? raw['boundaryEvents'].filter(isObject) : [];

const TIMER = 'timer:';
export const timerPort = (at: number): string => `${TIMER}${at}`;
/** The timer that a port stands for; -1: it stands for none. */
export const timerAt = (port: string): number =>
  port.startsWith(TIMER) ? Number(port.slice(TIMER.length)) : -1;
export const isTimerPort = (port: string): boolean => port === 'timeout' || port.startsWith(TIMER);

interface Way {
  readonly to: Json | undefined;
  readonly slot: Slot;
}

/* `nextStep` is not asked where conditions choose the way. */
function waysOf(raw: JsonObject): readonly Way[] {
  const cases = casesOf(raw).map(([expression, to]): Way => ({ to, slot: { kind: 'case', expression } }));
  const branches = listOf(raw, 'parallelNextSteps').map((to, at): Way => ({
    to,
    slot: { kind: 'branch', at },
  }));
  const next: readonly Way[] =
    cases.length + branches.length === 0 ? [{ to: raw['nextStep'], slot: { kind: 'next' } }] : [];
  const timers = timersOf(raw).map((timer, at): Way => ({
    to: timer['targetStepId'],
    slot: { kind: 'timer', at },
  }));
  return [...next, ...cases, ...branches, ...timers];
}

/** An expression that is blank is a condition that nobody has written yet. */
function conditionOf(slot: Slot): string | undefined {
  if (slot.kind !== 'case') return undefined;
  const expression = slot.expression.trim();
  return expression === '' || expression === 'true' ? undefined : expression;
}

export const stepLines = memo((flow): readonly FlowLine[] => {
  const keyFor = keyMaker();
  const line = (from: NodeId, to: NodeId, slot: Slot, order: number): FlowLine => {
    const port = slot.kind === 'timer' ? timerPort(slot.at) : 'out';
    return {
      key: keyFor(`${from}:${port}>${to}`),
      from,
      to,
      port,
      condition: conditionOf(slot),
      isDefault: slot.kind === 'case' && slot.expression.trim() === 'true',
      label: '',
      order,
      index: order,
      slot,
    };
  };
  const first = stepNodes(flow).find((node) => node.list === 'steps')?.id;
  return stepNodes(flow).flatMap((node) => {
    if (node.list !== 'steps') return first === undefined ? [] : [line(node.id, first, { kind: 'entry' }, 0)];
    return waysOf(node.raw).flatMap(({ to, slot }, order) =>
      typeof to === 'string' && to !== '' ? [line(node.id, to, slot, order)] : [],
    );
  });
});

const SPELLINGS = new Set(
  `id name type description nextStep conditionalNextSteps parallelNextSteps joinStep transformations jobType delegateClass retryCount
  retryBackoff boundaryEvents decisionTable hitPolicy outputs_schema chain continueAs ends assignee candidateUsers candidateGroups dueDate
  followUpDate priority formSchema reminders escalation version autoStartNextWorkflow nextWorkflowId steps triggers metadata
  input_schema $schema`.split(/\s+/),
);
const FOLDED = new Set([...SPELLINGS].map((name) => name.toLowerCase()));

/* The engine reads names in any case; the canvas writes them in one. */
const isOddlySpelled = (object: JsonObject) =>
  Object.keys(object).some((name) => !SPELLINGS.has(name) && FOLDED.has(name.toLowerCase()));

const isTexts = (value: Json | undefined) =>
  value === undefined || (isList(value) && value.every((item) => typeof item === 'string'));

function whyNoStep(raw: JsonObject): string | null {
  const says = (what: string) => t.ofTheStepCannot(what, textOf(raw['id']));
  if (raw['nextStep'] !== undefined && typeof raw['nextStep'] !== 'string') return says('“nextStep”');
  const cases = raw['conditionalNextSteps'];
  if (cases !== undefined && !(isObject(cases) && casesOf(raw).every(([, to]) => typeof to === 'string')))
    return says('“conditionalNextSteps”');
  if (!isTexts(raw['parallelNextSteps'])) return says('“parallelNextSteps”');
  const timers = raw['boundaryEvents'];
  if (timers !== undefined && !(isList(timers) && timers.every(isObject))) return says('“boundaryEvents”');
  return null;
}

export function whyNoSteps(flow: Flow): string | null {
  const steps = listOf(flow, 'steps');
  if (!steps.every(isObject)) return t.stepsIsNoList;
  const triggers = flow['triggers'];
  if (triggers !== undefined && !(isList(triggers) && triggers.every(isObject))) return t.triggersIsNoList;
  if ([flow, ...steps.filter(isObject)].some(isOddlySpelled)) return t.someNamesInThisFlow;
  if (flow['metadata'] !== undefined && !isObject(flow['metadata'])) return t.metadataIsNoObject;
  const seen = new Set<string>();
  for (const { id, type, raw } of stepNodes(flow)) {
    if (id === '' || type === '') return t.aStepHasNoId;
    if (seen.has(id)) return t.twoStepsHaveTheId(id);
    seen.add(id);
    const why = whyNoStep(raw);
    if (why !== null) return why;
  }
  return null;
}
