/* flow/steps/format.ts — how changes are written into a document of the steps format. Each function returns a new document that
 * shares what did not change; members that nobody here knows stay where they are. */
import type { Flow, FlowLine, FlowNode, NodeId } from '../flow';
import type { Format, LineChange, NewLine, NewNode } from '../format';
import { listedType, listOf } from '../graph/read';
import { atPath, isObject, type Json, type JsonObject, textOf, textsOf, withMember, withPath } from '../json';
import { isStartType } from '../roles';
import {
  casesOf,
  findStep,
  type Slot,
  START_ID,
  stepLines,
  stepNodes,
  timerAt,
  timersOf,
  whyNoSteps,
} from './read';

const SHIFT = 32;
const NEW_TIMER = { type: 'TIMER', duration: 'P1D', interrupting: false } as const;

function putRaw(flow: Flow, node: FlowNode, raw: JsonObject): Flow {
  if (node.list === 'start' || raw === node.raw) return flow;
  return { ...flow, [node.list]: listOf(flow, node.list).map((old, i) => (i === node.index ? raw : old)) };
}

/* ---- places ---- */

function putPlace(flow: Flow, id: NodeId, place: Json | undefined): Flow {
  const next = withPath(flow, ['metadata', 'places', id], place);
  if (place !== undefined) return next;
  const places = atPath(next, ['metadata', 'places']);
  if (!isObject(places) || Object.keys(places).length > 0) return next;
  const metadata = atPath(withPath(next, ['metadata', 'places'], undefined), ['metadata']);
  return withPath(
    next,
    ['metadata'],
    isObject(metadata) && Object.keys(metadata).length > 0 ? metadata : undefined,
  );
}

function putMember(flow: Flow, node: FlowNode, name: string, value: Json | undefined): Flow {
  if (name === 'position') return putPlace(flow, node.id, value);
  if (name === 'parent') return flow;
  return putRaw(flow, node, withMember(node.raw, name === 'label' ? 'name' : name, value));
}

/* ---- ways of a step ---- */

type Cases = readonly (readonly [string, Json | undefined])[];

/* Names of members are unique and those that look like numbers would jump to the front: blanks behind an expression keep it apart. */
function freeExpression(cases: Cases, wanted: string): string {
  const taken = new Set(cases.map(([expression]) => expression));
  let name = /^\d+$/.test(wanted) ? `${wanted} ` : wanted;
  while (taken.has(name)) name += ' ';
  return name;
}

const isDefaultCase = (expression: string) => expression.trim() === 'true';

function withCases(raw: JsonObject, cases: Cases): JsonObject {
  const isGone = cases.length === 0 && raw['type'] !== 'DECISION';
  return withMember(raw, 'conditionalNextSteps', isGone ? undefined : Object.fromEntries(cases));
}

function addCase(raw: JsonObject, to: NodeId, isDefault: boolean): JsonObject {
  const cases = casesOf(raw);
  const hasDefault = cases.some(([expression]) => isDefaultCase(expression));
  if (isDefault && !hasDefault) return withCases(raw, [...cases, ['true', to]]);
  const added = [freeExpression(cases, ''), to] as const;
  const last = cases.at(-1);
  // The engine never asks a case behind "otherwise".
  return withCases(
    raw,
    last !== undefined && isDefaultCase(last[0]) ? [...cases.slice(0, -1), added, last] : [...cases, added],
  );
}

function putCase(raw: JsonObject, expression: string, change: LineChange): JsonObject {
  const cases = casesOf(raw);
  const others = cases.filter(([each]) => each !== expression);
  const old = cases.find(([each]) => each === expression)?.[1];
  const to = 'to' in change ? change.to : old;
  if (change.isDefault === true) {
    const free = others.map(([each, target]) =>
      isDefaultCase(each) ? ([freeExpression(others, ''), target] as const) : ([each, target] as const),
    );
    return withCases(raw, [...free, ['true', to]]);
  }
  const isRenamed = 'condition' in change || (change.isDefault === false && isDefaultCase(expression));
  const name = isRenamed ? freeExpression(others, textOf(change.condition)) : expression;
  return withCases(
    raw,
    cases.map(([each, target]) => (each === expression ? [name, to] : [each, target])),
  );
}

function putTimer(raw: JsonObject, at: number, to: NodeId): JsonObject {
  const timers = timersOf(raw);
  const next =
    at < timers.length
      ? timers.map((timer, i) => (i === at ? withMember(timer, 'targetStepId', to) : timer))
      : [...timers, { ...NEW_TIMER, targetStepId: to }];
  return withMember(raw, 'boundaryEvents', next);
}

/* The first of `steps` is where a run begins. */
function toFront(flow: Flow, id: NodeId): Flow {
  const steps = listOf(flow, 'steps');
  const first = findStep(flow, id);
  if (first === undefined || first.list !== 'steps' || first.index === 0) return flow;
  return { ...flow, steps: [first.raw, ...steps.filter((_, i) => i !== first.index)] };
}

const isChoice = (raw: JsonObject) => raw['type'] === 'DECISION' || casesOf(raw).length > 0;

function addLine(flow: Flow, { from, port, to, isDefault = false }: NewLine): Flow {
  const node = findStep(flow, from);
  if (node === undefined) return flow;
  if (node.list !== 'steps') return toFront(flow, to);
  const { raw } = node;
  const timer = timerAt(port);
  if (timer >= 0) return putRaw(flow, node, putTimer(raw, timer, to));
  if (raw['type'] === 'PARALLEL_GATEWAY')
    return putRaw(
      flow,
      node,
      withMember(raw, 'parallelNextSteps', [...textsOf(raw['parallelNextSteps']), to]),
    );
  return putRaw(flow, node, isChoice(raw) ? addCase(raw, to, isDefault) : withMember(raw, 'nextStep', to));
}

function withoutSlots(raw: JsonObject, slots: readonly Slot[]): JsonObject {
  let next = raw;
  const gone = (kind: Slot['kind'], at: number) =>
    slots.some((slot) => slot.kind === kind && 'at' in slot && slot.at === at);
  if (slots.some((slot) => slot.kind === 'next')) next = withMember(next, 'nextStep', undefined);
  if (slots.some((slot) => slot.kind === 'case'))
    next = withCases(
      next,
      casesOf(next).filter(
        ([expression]) => !slots.some((slot) => slot.kind === 'case' && slot.expression === expression),
      ),
    );
  if (slots.some((slot) => slot.kind === 'branch'))
    next = withMember(
      next,
      'parallelNextSteps',
      listOf(next, 'parallelNextSteps').filter((_, at) => !gone('branch', at)),
    );
  if (slots.some((slot) => slot.kind === 'timer')) {
    const left = timersOf(next).filter((_, at) => !gone('timer', at));
    next = withMember(next, 'boundaryEvents', left.length === 0 ? undefined : left);
  }
  return next;
}

function removeLines(flow: Flow, lines: readonly FlowLine[]): Flow {
  let next = flow;
  for (const from of new Set(lines.map((line) => line.from))) {
    const node = findStep(next, from);
    const slots = lines.flatMap((line) => (line.from === from && line.slot !== undefined ? [line.slot] : []));
    if (node !== undefined) next = putRaw(next, node, withoutSlots(node.raw, slots));
  }
  return next;
}

function putLine(flow: Flow, line: FlowLine, change: LineChange): Flow {
  const node = findStep(flow, line.from);
  const { slot } = line;
  if (node === undefined || slot === undefined) return flow;
  const { raw } = node;
  const { to } = change;
  switch (slot.kind) {
    case 'entry':
      return to === undefined ? flow : toFront(flow, to);
    case 'next':
      return to === undefined ? flow : putRaw(flow, node, withMember(raw, 'nextStep', to));
    case 'case':
      return putRaw(flow, node, putCase(raw, slot.expression, change));
    case 'branch':
      return to === undefined
        ? flow
        : putRaw(
            flow,
            node,
            withMember(
              raw,
              'parallelNextSteps',
              listOf(raw, 'parallelNextSteps').map((old, at) => (at === slot.at ? to : old)),
            ),
          );
    case 'timer':
      return to === undefined ? flow : putRaw(flow, node, putTimer(raw, slot.at, to));
  }
}

function orderLines(flow: Flow, keys: readonly string[]): Flow {
  const lines = keys.flatMap((key) => stepLines(flow).find((line) => line.key === key) ?? []);
  const node = findStep(flow, lines[0]?.from ?? '');
  if (node?.list !== 'steps') return flow;
  const cases = lines.flatMap((line) =>
    line.slot?.kind === 'case' ? [[line.slot.expression, line.to] as const] : [],
  );
  if (cases.length === 0) return flow;
  // Cases that lead nowhere are no lines; they stay behind the others.
  const named = new Set(cases.map(([expression]) => expression));
  const rest = casesOf(node.raw).filter(([expression]) => !named.has(expression));
  return putRaw(flow, node, withCases(node.raw, [...cases, ...rest]));
}

/* ---- steps ---- */

function rawStep({ id, type, label, config }: NewNode): JsonObject {
  return { id, name: label === '' ? id : label, type, ...config };
}

function addNodes(flow: Flow, added: readonly NewNode[]): Flow {
  const steps = added.filter((node) => !isStartType(node.type)).map(rawStep);
  const triggers = added
    .filter((node) => isStartType(node.type))
    .map(({ id, type, config }) => ({ id, type: listedType(type), ...config }));
  let next: Flow = steps.length === 0 ? flow : { ...flow, steps: [...listOf(flow, 'steps'), ...steps] };
  if (triggers.length > 0) next = { ...next, triggers: [...listOf(next, 'triggers'), ...triggers] };
  for (const { id, position } of added)
    if (position !== null) next = putPlace(next, id, { x: position.x, y: position.y });
  return next;
}

function removeNodes(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  const lines = stepLines(flow).filter((line) => ids.has(line.from) || ids.has(line.to));
  let next = removeLines(
    flow,
    lines.filter((line) => line.slot?.kind !== 'entry'),
  );
  // References that are no lines: a join, and a next step that conditions hide.
  for (const { id } of stepNodes(next)) {
    const node = findStep(next, id);
    if (node === undefined) continue;
    let { raw } = node;
    for (const name of ['joinStep', 'nextStep'])
      if (ids.has(textOf(raw[name]))) raw = withMember(raw, name, undefined);
    next = putRaw(next, node, raw);
  }
  const keep = (item: Json) => !(isObject(item) && ids.has(textOf(item['id'])));
  next = { ...next, steps: listOf(next, 'steps').filter(keep) };
  if (next['triggers'] !== undefined) {
    const left = listOf(next, 'triggers').filter(keep);
    next = withMember(next, 'triggers', left.length === 0 ? undefined : left);
  }
  for (const id of ids)
    if (atPath(next, ['metadata', 'places', id]) !== undefined) next = putPlace(next, id, undefined);
  return next;
}

/* ---- copies ---- */

/** A copy of a step that leads to copies; what led elsewhere is gone. */
function copyOf(raw: JsonObject, names: ReadonlyMap<NodeId, NodeId>): JsonObject {
  const nameOf = (value: Json | undefined) => names.get(textOf(value));
  let copy: JsonObject = { ...raw, id: nameOf(raw['id']) ?? '' };
  for (const name of ['nextStep', 'joinStep'])
    if (raw[name] !== undefined) copy = withMember(copy, name, nameOf(raw[name]));
  if (raw['conditionalNextSteps'] !== undefined)
    copy = withCases(
      copy,
      casesOf(raw).flatMap(([expression, to]) => {
        const target = nameOf(to);
        return target === undefined ? [] : [[expression, target] as const];
      }),
    );
  if (raw['parallelNextSteps'] !== undefined)
    copy = withMember(
      copy,
      'parallelNextSteps',
      textsOf(raw['parallelNextSteps']).flatMap((to) => names.get(to) ?? []),
    );
  if (raw['boundaryEvents'] !== undefined) {
    const timers = timersOf(raw).flatMap((timer) => {
      const target = nameOf(timer['targetStepId']);
      return target === undefined ? [] : [withMember(timer, 'targetStepId', target)];
    });
    copy = withMember(copy, 'boundaryEvents', timers.length === 0 ? undefined : timers);
  }
  return copy;
}

export const stepsFormat: Format = {
  name: 'steps',
  isPlaced: true,
  whyNot: whyNoSteps,
  withId: (flow, id) => ({ ...flow, id }),
  nodes: stepNodes,
  lines: stepLines,
  putMember,
  putField: (flow, node, path, value) => putRaw(flow, node, withPath(node.raw, path, value)),
  addNodes,
  removeNodes,
  addLine,
  removeLines,
  putLine,
  orderLines,
  paste: (flow, { nodes }, names) => {
    let next: Flow = {
      ...flow,
      steps: [...listOf(flow, 'steps'), ...nodes.map((raw) => copyOf(raw, names))],
    };
    for (const [old, id] of names) {
      const at = findStep(flow, old)?.position ?? null;
      if (at !== null) next = putPlace(next, id, { x: at.x + SHIFT, y: at.y + SHIFT });
    }
    return next;
  },
  copy: (flow, ids) => ({
    steps: stepNodes(flow)
      .filter((node) => ids.has(node.id) && node.list === 'steps' && node.id !== START_ID)
      .map((node) => node.raw),
  }),
};
