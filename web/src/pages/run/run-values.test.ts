import { expect, test } from 'vitest';

import { groupsOf, wordsOfPath } from './run-values';

const TITLES = new Map([
  ['asked', 'Leave asked for'],
  ['ask', 'Ask the manager'],
  ['ask.2', 'Ask again'],
]);
const INSTANCE = { id: '1', definitionId: 'leave', businessKey: 'L-1', isTest: false };
const CAME = { payload: { who: 'ada', Time: 'noon' }, triggered_at: '2026', headers: {} };

test('data are by the names of their steps, newest first, and a trigger is there once', () => {
  const data = {
    vars: { total: 7 },
    instance: INSTANCE,
    trigger: CAME,
    'triggers.asked': CAME,
    'nodes.asked': CAME,
    'nodes.ask': { decision: 'yes', payload: 3 },
    'nodes.gone': 'text',
    result: { ok: true },
  };
  expect(groupsOf(data, TITLES)).toEqual([
    { title: 'Variables', value: { result: { ok: true }, total: 7 } },
    { title: 'gone', value: { '': 'text' } },
    { title: 'Ask the manager', value: { decision: 'yes', payload: 3 } },
    { title: 'Leave asked for', value: { headers: {}, who: 'ada', Time: 'noon' } },
    { title: 'This run', value: { Id: '1', Flow: 'leave', Key: 'L-1', 'Is a test': false } },
  ]);
});

test.each([[{ amount: 1 }], [{ instance: 'x', vars: {} }], [null], ['text'], [[1]]])(
  'data of other formats stay as they are: %j',
  (data) => expect(groupsOf(data, TITLES)).toBeNull(),
);

test('an arrival of no known trigger is told', () => {
  expect(groupsOf({ vars: {}, instance: {}, trigger: CAME }, TITLES)).toEqual([
    { title: 'What came last', value: { headers: {}, who: 'ada', Time: 'noon' } },
  ]);
});

test.each([
  ['', 'all'],
  ['nodes.ask', 'Ask the manager'],
  ['nodes.ask.decision', 'Ask the manager: decision'],
  ['nodes.ask.2.payload.days', 'Ask again: days'],
  ['nodes.gone.x', 'nodes.gone.x'],
  ['triggers.asked.triggered_at', 'Leave asked for: Time'],
  ['trigger.payload.who', 'What came last: who'],
  ['instance.businessKey', 'This run: Key'],
  ['instance.constructor', 'This run: constructor'],
  ['vars.total', 'total'],
  ['amount', 'amount'],
])('a change at %s', (path, words) => expect(wordsOfPath(path, TITLES)).toBe(words));
