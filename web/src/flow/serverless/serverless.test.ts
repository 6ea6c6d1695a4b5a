/* flow/serverless/serverless.test.ts — Serverless Workflows on the canvas: the examples of the repository, and random changes of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { applyCommand, type Command, refusal } from '../command';
import { findBroken, findNode, type Flow, linesFrom, linesOf, nodesOf, openValue } from '../flow';
import { addStatesFormat, formatOf } from '../format';
import { commit, open, undo } from '../history';
import { isObject, type Json, parseJson, printJson } from '../json';
import { placesOf } from '../layout';
import { outlineOf } from '../outline';
import { nodeAt } from '../problem-place';
import { captionOf } from '../say';
import { lastFirst, statesFormat } from './format';
import { sayChoice, sayRetry } from './say';

const FOLDER = fileURLToPath(new URL('../../../../examples/serverless/', import.meta.url));

const read = (text: string): Flow => {
  const outcome = parseJson(text);
  if (!outcome.ok || !isObject(outcome.value)) throw new Error('no document');
  return outcome.value;
};
const example = (name: string): Flow => read(readFileSync(`${FOLDER}${name}.json`, 'utf8'));
const EXAMPLES = readdirSync(FOLDER).filter((name) => /^[a-z-]+\.json$/.test(name));

const BRANCHES =
  read(`{ "id": "b", "name": "B", "startsAt": {"stateName": "Both", "schedule": {"cron": "0 8 * * *"}},
  "states": [
    { "name": "Both", "type": "parallel", "xKept": 1, "transition": {"nextState": "Done", "condition": "$.ok"}, "branches": [
      { "name": "one", "startsAt": "A", "waitForCompletion": true, "states": [
        { "name": "A", "type": "DELAY", "timeDelay": "PT5M", "transition": "B" }, { "name": "B", "type": "RELAY", "end": true } ] },
      { "name": "two", "startsAt": "A", "states": [ { "name": "A", "type": "RELAY", "end": true } ] } ] },
    { "name": "Done", "type": "RELAY", "end": true } ] }`);

beforeAll(() => addStatesFormat(statesFormat));
// Other files share the process, and for them a flow of states is one of another family.
afterAll(() => addStatesFormat(null));

const after = (flow: Flow, command: Command): Flow => {
  expect(refusal(flow, command)).toBe(null);
  return applyCommand(flow, command, 100);
};
const ways = (flow: Flow, id: string) => linesFrom(flow, id).map(({ to, label }) => [to, label]);

test('the examples are on the canvas: every state, every way, nothing broken', () => {
  expect(EXAMPLES.length).toBeGreaterThan(4);
  for (const name of EXAMPLES) {
    const flow = read(readFileSync(FOLDER + name, 'utf8'));
    if (!Array.isArray(flow['states'])) continue;
    expect(openValue(flow).kind, name).toBe('flow');
    expect(findBroken(flow), name).toEqual([]);
    expect(placesOf(flow).size).toBe(nodesOf(flow).length);
    expect(outlineOf(flow).filter(({ kind }) => kind === 'node').length).toBe(nodesOf(flow).length);
  }
});

test('events, actions, retries and handlers are said', () => {
  const order = example('order');
  expect(ways(order, 'Payment')).toEqual([
    ['Fulfil', 'payment-received, within 3 days'],
    ['Cancelled', 'payment-declined, within 3 days'],
    ['Cancelled', "if it fails: name eq 'TimeoutException'"],
  ]);
  const caption = (id: string) => {
    const node = findNode(order, id);
    return node === undefined ? '' : captionOf(node, new Map());
  };
  expect(caption('Fulfil')).toBe('Functions: reserve and label (tried again)');
  expect(caption('Payment')).toBe('Event: payment-received or payment-declined');
  expect(caption('Shipped')).toBe('Data: order · ends here');
  expect(sayRetry({ condition: 'x', interval: 'R5/PT1S' })).toBe('5 more times, after 1 second, if x');
  expect(sayRetry({ interval: 'R/PT5S' })).toBe('again and again, every 5 seconds');
  expect(sayRetry({ interval: 'R5/PT5S', max: 2 })).toBe('2 more times, after 5 seconds');
  expect(sayRetry({ interval: 'PT5S' })).toBe('never again');
  expect(
    sayChoice({
      and: [{ path: '$.a', operator: 'Exists' }, { not: { path: '$.b', operator: 'lessThan', value: 1500 } }],
    }),
  ).toBe('a is there and not (b is under 1,500)');
});

test('branches are zones, and names count in their own scope', () => {
  expect(nodesOf(BRANCHES).map(({ id, parent }) => [id, parent])).toEqual([
    ['(start)', null],
    ['Both', null],
    ['Both/one', 'Both'],
    ['Both/one/A', 'Both/one'],
    ['Both/one/B', 'Both/one'],
    ['Both/two', 'Both'],
    ['Both/two/A', 'Both/two'],
    ['Done', null],
  ]);
  expect(linesOf(BRANCHES).map(({ from, to }) => `${from} > ${to}`)).toEqual([
    '(start) > Both',
    'Both > Done',
    'Both/one > Both/one/A',
    'Both/one/A > Both/one/B',
    'Both/two > Both/two/A',
  ]);
  expect(nodeAt(BRANCHES, '/states/0/branches/0/states/1/end')).toBe('Both/one/B');
  expect(refusal(BRANCHES, { kind: 'connect', from: 'Both/one/B', port: 'out', to: 'Both/two/A' })).not.toBe(
    null,
  );
});

test('a name is changed wherever it leads to the state, and nowhere else', () => {
  const next = after(BRANCHES, { kind: 'setLabel', id: 'Both/one/A', label: 'First' });
  expect(findNode(next, 'Both/one/First')?.raw).toMatchObject({ timeDelay: 'PT5M' });
  expect(linesFrom(next, 'Both/one')[0]?.to).toBe('Both/one/First');
  expect(linesFrom(next, 'Both/two')[0]?.to).toBe('Both/two/A');
  const both = after(BRANCHES, { kind: 'setLabel', id: 'Done', label: 'Over' });
  expect(both['states']).toMatchObject([
    { transition: { nextState: 'Over', condition: '$.ok' }, xKept: 1 },
    { name: 'Over' },
  ]);
  const first = after(BRANCHES, { kind: 'setLabel', id: 'Both', label: 'All' });
  expect(first['startsAt']).toEqual({ stateName: 'All', schedule: { cron: '0 8 * * *' } });
  expect(refusal(BRANCHES, { kind: 'setLabel', id: 'Done', label: 'Both' })).toBe(
    'Another step has this name.',
  );
});

test('a state is added on a line, and taken away again', () => {
  const [line] = linesFrom(BRANCHES, 'Both/one/A');
  const added = after(BRANCHES, {
    kind: 'addNode',
    type: 'OPERATION',
    label: 'Call',
    config: {},
    place: { kind: 'line', key: line?.key ?? '' },
  });
  expect(linesFrom(added, 'Both/one/A')[0]?.to).toBe('Both/one/Call');
  expect(findNode(added, 'Both/one/Call')?.raw).toEqual({
    name: 'Call',
    type: 'OPERATION',
    actions: [],
    transition: 'B',
  });
  const without = after(added, { kind: 'deleteNodes', ids: ['Both/one/Call'] });
  expect(without).toEqual(BRANCHES);
  const last = after(BRANCHES, { kind: 'deleteNodes', ids: ['Done'] });
  expect(last['states']).toMatchObject([{ name: 'Both', end: true }]);
});

test('a choice that leads nowhere is gone, and the order of the others is what was asked', () => {
  const flow = read(`{ "name": "c", "startsAt": "S", "states": [
    { "name": "S", "type": "SWITCH", "default": "Z", "choices": [
      { "path": "$.a", "operator": "Exists", "transition": "X" }, { "path": "$.b", "operator": "Exists", "transition": "Y" },
      { "path": "$.c", "operator": "Exists", "transition": "Z" } ] },
    { "name": "X", "type": "RELAY", "end": true }, { "name": "Y", "type": "RELAY", "end": true },
    { "name": "Z", "type": "RELAY", "end": true } ] }`);
  const moved = after(flow, { kind: 'moveLine', key: 'S:choice:1>Y', by: -1 });
  expect(ways(moved, 'S').map(([to]) => to)).toEqual(['Y', 'X', 'Z', 'Z']);
  const without = after(flow, { kind: 'deleteNodes', ids: ['X', 'Y'] });
  expect(ways(without, 'S')).toEqual([
    ['Z', 'c is there'],
    ['Z', 'otherwise'],
  ]);
  expect(refusal(flow, { kind: 'moveNodes', moves: [{ id: 'X', x: 0, y: 0 }] })).not.toBe(null);
  expect(['/a/2', '/a/10', '/a/2/b'].sort(lastFirst)).toEqual(['/a/10', '/a/2/b', '/a/2']);
});

test('what the canvas cannot show is left to the text', () => {
  for (const states of [
    [{ type: 'RELAY' }],
    [{ name: 'A' }],
    [
      { name: 'A', type: 'RELAY' },
      { name: 'A', type: 'RELAY' },
    ],
    [{ name: 'A', type: 'SWITCH', choices: [1] }],
    [1],
  ])
    expect(openValue({ name: 'x', startsAt: 'A', states }).kind).toBe('other');
});

interface Recipe {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly type: string;
  readonly text: string;
  readonly value: Json;
}
const anyRecipe = (): fc.Arbitrary<Recipe> =>
  fc.record({
    kind: fc.nat(12),
    a: fc.nat(30),
    b: fc.nat(30),
    type: fc.constantFrom('OPERATION', 'SWITCH', 'EVENT', 'DELAY', 'PARALLEL', 'SUBFLOW', 'RELAY'),
    text: fc.string({ maxLength: 6 }),
    value: fc.jsonValue({ maxDepth: 2 }),
  });

function cook(flow: Flow, { kind, a, b, type, text, value }: Recipe): Command {
  const nodes = nodesOf(flow);
  const lines = linesOf(flow);
  const id = nodes[a % nodes.length]?.id ?? '';
  const other = nodes[b % nodes.length]?.id ?? '';
  const line = lines[a % Math.max(1, lines.length)];
  const port = line?.from === id ? line.port : 'out';
  const add = { kind: 'addNode', type, label: text === '' ? type : text, config: {} } as const;
  const commands: readonly Command[] = [
    { ...add, place: { kind: 'line', key: line?.key ?? '' } },
    { ...add, place: { kind: 'after', node: id } },
    { ...add, place: { kind: 'inside', loop: id } },
    { ...add, place: { kind: 'loose', at: null } },
    { kind: 'deleteNodes', ids: [id] },
    { kind: 'deleteNodes', ids: [id, other] },
    { kind: 'connect', from: id, port, to: other },
    { kind: 'disconnect', key: line?.key ?? '' },
    { kind: 'retarget', from: line?.from ?? '', port: line?.port ?? '', to: other, key: line?.key ?? '' },
    { kind: 'setLabel', id, label: text },
    { kind: 'setField', id, path: ['xNote'], value },
    { kind: 'moveLine', key: line?.key ?? '', by: b % 2 === 0 ? 1 : -1 },
    { kind: 'setSetting', path: ['description'], value: text },
  ];
  return commands[kind % commands.length] ?? { kind: 'setSetting', path: ['name'], value: text };
}

test('whatever is done, the canvas can show what comes of it, and all of it can be taken back', () => {
  const documents = [BRANCHES, ...['order', 'credit-score', 'tracking', 'precheck'].map(example)];
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      fc.array(anyRecipe(), { maxLength: 12 }),
      (document, recipes) => {
        let history = open(document);
        for (const recipe of recipes) {
          history = commit(history, cook(history.now.flow, recipe));
          const { flow } = history.now;
          expect(formatOf(flow)).toBe(statesFormat);
          expect(statesFormat.whyNot(flow)).toBe(null);
          expect(findBroken(flow)).toEqual([]);
          expect(placesOf(flow).size).toBe(nodesOf(flow).length);
          expect(read(printJson(flow))).toEqual(JSON.parse(JSON.stringify(flow)));
        }
        while (history.past.length > 0) history = undo(history);
        expect(history.now.flow).toBe(document);
      },
    ),
    { numRuns: 30 },
  );
});
