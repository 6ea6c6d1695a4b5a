import { expect, test } from 'vitest';

import type { Flow } from '../../flow/flow';
import { NEVER, NO_PLAN, outsidersOf, requestOf, roundsOf, sayRound } from './test-plan';
import { NO_TEST, takeEvent } from './use-trial';

const FLOW: Flow = {
  nodes: [
    { id: 'form', type: 'trigger_manual', config: { inputSchema: { properties: { k: { enum: ['A'] } } } } },
    { id: 'hook', type: 'trigger_webhook' },
    { id: 'news', type: 'trigger_webhook' },
    { id: 'ask', type: 'human_task', config: { decisions: ['yes', 'no'], testDecision: 'no' } },
    { id: 'each', type: 'for_each' },
    { id: 'vote', type: 'human_task', parent: 'each', config: { decisions: ['yes', 'no'], timeout: '3d' } },
    { id: 'wait', type: 'wait_event', config: { trigger: 'news' } },
    { id: 'call', type: 'action_http' },
  ],
  edges: [
    { from: 'form', to: 'ask' },
    { from: 'hook', to: 'ask' },
    { from: 'ask', fromPort: 'yes', to: 'wait' },
  ],
};
const round = (decision: string, after = '1h') => ({ decision, after, values: null });

test('what is shown is sent, also where nobody has changed anything', () => {
  expect(requestOf(FLOW, NO_PLAN)).toEqual({
    input: { k: 'A' },
    trigger: 'form',
    answers: [
      { node: 'ask', after: '1h', decision: 'no', repeat: true },
      { node: 'vote', after: '1h', decision: 'yes', repeat: true },
      { node: 'wait', after: '1h', variables: { k: 'A' }, repeat: true },
    ],
    pins: {},
  });
});

test('rounds are in order, items by their number; the last one is for all others', () => {
  const rounds = { ask: [round('no'), round('yes', '1d')], vote: [round('no'), round('yes', NEVER)] };
  const { answers, trigger, pins } = requestOf(FLOW, { ...NO_PLAN, start: 'hook', rounds, fails: ['call'] });
  expect(trigger).toBe('hook');
  expect(pins).toEqual({ call: { error: { code: 'TEST_FAILURE', message: 'The test lets it fail.' } } });
  expect(answers.slice(0, 4)).toEqual([
    { node: 'ask', after: '1h', decision: 'no' },
    { node: 'ask', after: '1d', decision: 'yes', repeat: true },
    { node: 'vote', after: '1h', decision: 'no', item: 0, repeat: true },
    { node: 'vote', after: '3000d', decision: 'yes', repeat: true },
  ]);
  const [ask, vote] = outsidersOf(FLOW);
  if (ask === undefined || vote === undefined) throw new Error('nobody is asked');
  expect([0, 1, 2].map((at) => sayRound(ask, at, 3))).toEqual(['1st time', '2nd time', 'after that']);
  expect([0, 1].map((at) => sayRound(vote, at, 2))).toEqual(['item 1', 'every other item']);
  expect(roundsOf(FLOW, NO_PLAN, vote)).toEqual([round('yes')]);
});

test('somebody without a deadline who never answers is waited for', () => {
  const plan = { ...NO_PLAN, rounds: { ask: [round('yes', NEVER)] } };
  const { answers, unanswered } = requestOf(FLOW, plan);
  expect([answers.some((answer) => 'node' in answer && answer.node === 'ask'), unanswered]).toEqual([
    false,
    'wait',
  ]);
});

test('a step tells what it asks, and an answer that was refused', () => {
  const entered = takeEvent(NO_TEST, { event: 'enter', n: 1, node: 'ask' });
  const waits = takeEvent(entered, { event: 'wait', n: 1, node: 'ask', sent: { title: 'May I?' } });
  const [step] = takeEvent(waits, { event: 'refused', node: 'ask', why: 'no such answer' }).steps;
  expect([step?.sent, step?.refused, step?.how]).toEqual([{ title: 'May I?' }, 'no such answer', 'waits']);
});
