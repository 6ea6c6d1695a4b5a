import { expect, test } from 'vitest';

import type { Flow } from '../../flow/flow';
import { takenLines } from './taken-lines';
import { NO_TEST, takeEvent } from './use-trial';

const FLOW: Flow = {
  nodes: [
    { id: 'ask', type: 'human_task', config: { decisions: ['yes', 'no', 'maybe'], timeout: '3d' } },
    { id: 'tell', type: 'action_email' },
    { id: 'pay', type: 'action_http' },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { id: 'yes', from: 'ask', to: 'pay', fromPort: 'yes' },
    { id: 'no', from: 'ask', to: 'tell', fromPort: 'no' },
    { id: 'maybe', from: 'ask', to: 'tell', fromPort: 'maybe' },
    { id: 'late', from: 'ask', to: 'tell', fromPort: 'timeout' },
    { id: 'paid', from: 'pay', to: 'end' },
    { id: 'broken', from: 'pay', to: 'end', fromPort: 'error' },
  ],
};

test.each([
  ['an answer', { node: 'ask', to: ['tell'], how: 'done', out: { decision: 'no' } }, ['no']],
  ['a deadline', { node: 'ask', to: ['tell'], how: 'late' }, ['late']],
  ['an error', { node: 'pay', to: ['end'], how: 'failed' }, ['broken']],
  ['a call that works', { node: 'pay', to: ['end'], how: 'pretended', out: { status: 200 } }, ['paid']],
  ['the only line', { node: 'ask', to: ['pay'], how: 'done', out: { decision: 'something' } }, ['yes']],
  [
    'an answer of which no line is known',
    { node: 'ask', to: ['tell'], how: 'done', out: { decision: 'x' } },
    ['no', 'maybe', 'late'],
  ],
])('%s marks its own line', (_, event, keys) => {
  const { taken } = takeEvent(NO_TEST, { event: 'leave', n: 1, ...event });
  expect([...takenLines(FLOW, taken)]).toEqual(keys);
});
