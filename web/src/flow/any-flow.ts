/* flow/any-flow.ts — random flows and commands for the property tests of this folder. */
import fc from 'fast-check';

import type { Command, Place } from './command';
import { type Flow, linesOf, nodesOf } from './flow';
import type { Json, JsonObject } from './json';

const TYPES = [
  'wait_event',
  'human_task',
  'action_email',
  'action_http',
  'decision',
  'parallel',
  'match',
  'delay',
  'for_each',
  'end',
  'set_variables',
  'trigger_webhook',
];

export const anyJson = (): fc.Arbitrary<Json> => fc.jsonValue({ maxDepth: 3 });

/** A whole flow: a start, steps, lines that go anywhere they may, members that we do not know. */
export function anyFlow(): fc.Arbitrary<Flow> {
  const step = fc.record({
    type: fc.constantFrom(...TYPES.slice(0, 10)),
    label: fc.string({ maxLength: 12 }),
    extra: anyJson(),
  });
  return fc
    .record({
      steps: fc.array(step, { maxLength: 9 }),
      jumps: fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.boolean()), { maxLength: 12 }),
      isPlaced: fc.boolean(),
      unknown: fc.dictionary(
        fc.string({ maxLength: 6 }).map((name) => `x${name}`),
        anyJson(),
        { maxKeys: 3 },
      ),
      hasList: fc.boolean(),
    })
    .map(({ steps, jumps, isPlaced, unknown, hasList }) => {
      const nodes: JsonObject[] = [
        { id: 'start_1', type: 'trigger_manual', ...(isPlaced ? { position: { x: 0, y: 0 } } : {}) },
        ...steps.map(({ type, label, extra }, i) => ({
          id: `n${i + 2}`,
          label,
          type,
          metadata: extra,
          config:
            type === 'human_task'
              ? { decisions: ['yes', 'no'], title: '{{ trigger.payload.who }}' }
              : { body: extra },
          ...(isPlaced ? { position: { x: (i % 3) * 300, y: 100 + i * 100 } } : {}),
        })),
      ];
      const ids = ['start_1', ...steps.map((_, i) => `n${i + 2}`)];
      const edges: JsonObject[] = jumps.flatMap(([a, b, named], i) => {
        const from = ids[a % ids.length] ?? '';
        const to = ids[b % ids.length] ?? '';
        const source = nodes[a % ids.length];
        if (from === to || to === 'start_1' || source?.['type'] === 'end') return [];
        return [
          {
            from,
            to,
            ...(named ? { id: `line${i}` } : {}),
            ...(source?.['type'] === 'for_each' ? { fromPort: 'done' } : {}),
          },
        ];
      });
      const triggers = hasList
        ? {
            triggers: [
              {
                id: 'hook',
                type: 'http',
                path: '/x',
                entry: ids.at(-1) === 'start_1' ? undefined : ids.at(-1),
              },
            ],
          }
        : {};
      return JSON.parse(
        JSON.stringify({ dialect: 'graph/1', name: 'Any', ...unknown, ...triggers, nodes, edges }),
      ) as Flow;
    });
}

/** A recipe for a command; what it is about is picked from the flow when it is done. */
export interface Recipe {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly type: string;
  readonly text: string;
  readonly value: Json;
}

export const anyRecipe = (): fc.Arbitrary<Recipe> =>
  fc.record({
    kind: fc.nat(19),
    a: fc.nat(30),
    b: fc.nat(30),
    type: fc.constantFrom(...TYPES),
    text: fc.string({ maxLength: 8 }),
    value: anyJson(),
  });

export function cook(flow: Flow, { kind, a, b, type, text, value }: Recipe): Command {
  const nodes = nodesOf(flow);
  const lines = linesOf(flow);
  const id = nodes[a % nodes.length]?.id ?? 'none';
  const other = nodes[b % nodes.length]?.id ?? 'none';
  const key = lines[a % Math.max(1, lines.length)]?.key ?? 'none';
  const port =
    nodes[a % nodes.length]?.type === 'for_each' ? 'done' : (['out', 'timeout', 'yes'][b % 3] ?? 'out');
  const places: readonly Place[] = [
    { kind: 'line', key },
    { kind: 'after', node: id },
    { kind: 'port', node: id, port },
    { kind: 'inside', loop: id },
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
    { kind: 'setCondition', key, condition: value },
    { kind: 'setDefault', key },
    { kind: 'moveLine', key, by: b % 2 === 0 ? 1 : -1 },
    { kind: 'setField', id, path: ['config1', text], value },
    { kind: 'setLabel', id, label: text },
    { kind: 'setDecisions', id, decisions: [text, 'more'] },
    { kind: 'wrapInLoop', ids: [id], label: text },
    { kind: 'waitFor', id, type: 'trigger_webhook', label: text },
    b % 2 === 0
      ? { kind: 'unwrapLoop', id }
      : { kind: 'paste', nodes: nodes.slice(0, 2).map((node) => node.raw), edges: [{ from: id, to: other }] },
  ];
  return commands[kind % commands.length] ?? { kind: 'setSetting', path: ['name'], value: text };
}
