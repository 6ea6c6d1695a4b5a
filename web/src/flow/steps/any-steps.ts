/* flow/steps/any-steps.ts — random flows of steps and commands for the property tests of this folder. */
import fc from 'fast-check';

import { anyJson } from '../any-flow';
import type { Command, Place } from '../command';
import { type Flow, linesOf, nodesOf } from '../flow';
import type { Json, JsonObject } from '../json';

const TYPES = [
  'SERVICE_TASK',
  'USER_TASK',
  'WAIT',
  'DECISION',
  'DECISION_TABLE',
  'TRANSFORMATION',
  'PARALLEL_GATEWAY',
  'JOIN_GATEWAY',
  'END',
  'FROM_THE_FUTURE',
] as const;
const EXPRESSIONS = [
  '#total > 1000',
  'trusted',
  "status == 'OPEN' && total < 5",
  'true',
  'len(items) > 2 * 3',
  '',
];

interface Sketch {
  readonly type: (typeof TYPES)[number];
  readonly name: string;
  readonly to: readonly number[];
  readonly words: readonly string[];
  readonly extra: Json;
}

const anySketch = (): fc.Arbitrary<Sketch> =>
  fc.record({
    type: fc.constantFrom(...TYPES),
    name: fc.string({ maxLength: 12 }),
    to: fc.array(fc.nat(20), { maxLength: 3 }),
    words: fc.uniqueArray(fc.constantFrom(...EXPRESSIONS), { maxLength: 3 }),
    extra: anyJson(),
  });

function leads({ type, to, words }: Sketch, idOf: (n: number) => string): JsonObject {
  const targets = to.map(idOf);
  const [first] = targets;
  const timers = targets.slice(1).map((targetStepId) => ({ type: 'TIMER', duration: 'PT1H', targetStepId }));
  if (type === 'END') return {};
  if (type === 'PARALLEL_GATEWAY')
    return { parallelNextSteps: [...new Set(targets)], ...(first === undefined ? {} : { joinStep: first }) };
  if (type === 'DECISION')
    return {
      conditionalNextSteps: Object.fromEntries(words.map((word, i) => [word, targets[i] ?? idOf(0)])),
    };
  return {
    ...(first === undefined ? {} : { nextStep: first }),
    ...(timers.length === 0 ? {} : { boundaryEvents: timers }),
    ...(type === 'SERVICE_TASK' && words.length > 1 ? { conditionalNextSteps: { trusted: idOf(1) } } : {}),
  };
}

/** A whole flow: steps that lead anywhere, members that nobody knows, places for some. */
export function anySteps(): fc.Arbitrary<Flow> {
  return fc
    .record({
      steps: fc.array(anySketch(), { minLength: 1, maxLength: 9 }),
      unknown: fc.dictionary(
        fc.string({ maxLength: 6 }).map((name) => `x${name}`),
        anyJson(),
        { maxKeys: 3 },
      ),
      isPlaced: fc.boolean(),
      hasTrigger: fc.boolean(),
      note: anyJson(),
    })
    .map(({ steps, unknown, isPlaced, hasTrigger, note }) => {
      const idOf = (n: number) => `s${n % steps.length}`;
      const places = Object.fromEntries(steps.map((_, i) => [idOf(i), { x: (i % 3) * 300, y: i * 100 }]));
      return JSON.parse(
        JSON.stringify({
          id: 'any',
          name: 'Any',
          ...unknown,
          ...(hasTrigger ? { triggers: [{ id: 'tick', type: 'cron', cronExpression: '0 8 * * *' }] } : {}),
          metadata: { note, ...(isPlaced ? { places } : {}) },
          steps: steps.map((sketch, i) => ({
            id: idOf(i),
            name: sketch.name,
            type: sketch.type,
            xExtra: sketch.extra,
            ...leads(sketch, idOf),
          })),
        }),
      ) as Flow;
    });
}

export interface StepRecipe {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly type: string;
  readonly text: string;
  readonly value: Json;
}

export const anyStepRecipe = (): fc.Arbitrary<StepRecipe> =>
  fc.record({
    kind: fc.nat(17),
    a: fc.nat(30),
    b: fc.nat(30),
    type: fc.constantFrom(...TYPES, 'trigger_cron'),
    text: fc.string({ maxLength: 8 }),
    value: anyJson(),
  });

export function cookSteps(flow: Flow, { kind, a, b, type, text, value }: StepRecipe): Command {
  const nodes = nodesOf(flow);
  const lines = linesOf(flow);
  const id = nodes[a % nodes.length]?.id ?? 'none';
  const other = nodes[b % nodes.length]?.id ?? 'none';
  const key = lines[a % Math.max(1, lines.length)]?.key ?? 'none';
  const port = ['out', 'timer:0', 'timer:1'][b % 3] ?? 'out';
  const places: readonly Place[] = [
    { kind: 'line', key },
    { kind: 'after', node: id },
    { kind: 'port', node: id, port },
    { kind: 'loose', at: { x: a * 8, y: b * 8 } },
  ];
  const commands: readonly Command[] = [
    ...places.map((place): Command => ({ kind: 'addNode', type, label: text, config: {}, place })),
    { kind: 'deleteNodes', ids: [id] },
    { kind: 'deleteNodes', ids: [id, other] },
    { kind: 'moveNodes', moves: [{ id, x: a * 10, y: b * 10 }] },
    { kind: 'connect', from: id, port, to: other },
    { kind: 'disconnect', key },
    { kind: 'retarget', from: id, port, to: b % 4 === 0 ? null : other },
    { kind: 'setCondition', key, condition: text },
    { kind: 'setDefault', key },
    { kind: 'moveLine', key, by: b % 2 === 0 ? 1 : -1 },
    { kind: 'setField', id, path: ['description'], value },
    { kind: 'setLabel', id, label: text },
    { kind: 'wrapInLoop', ids: [id], label: text },
    { kind: 'paste', nodes: nodes.slice(1, 3).map((node) => node.raw), edges: [] },
  ];
  return commands[kind % commands.length] ?? { kind: 'setSetting', path: ['name'], value: text };
}
