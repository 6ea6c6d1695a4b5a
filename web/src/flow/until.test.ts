import { expect, test } from 'vitest';

import { findNode, type Flow } from './flow';
import { answersInside, printUntil, readUntil, type Until } from './until';

const FLOW: Flow = {
  nodes: [
    { id: 'each', type: 'for_each' },
    { id: 'named', type: 'for_each', config: { result: '{{ nodes.ask.decision }}' } },
    { id: 'ask', type: 'human_task', parent: 'each', config: { decisions: ['yes', 'no "way"'] } },
  ],
};

test.each<Until>([
  { kind: 'never' },
  { kind: 'said', count: 2, answer: 'no "way"' },
  { kind: 'succeeded', count: 3 },
  { kind: 'failed', count: 1 },
])('what a loop stops at is read as it was chosen: %j', (until) => {
  for (const id of ['each', 'named']) {
    const loop = findNode(FLOW, id);
    if (loop !== undefined && until.kind !== 'other')
      expect(readUntil(printUntil(until, loop))).toEqual(until);
  }
});

test('other conditions stay as they are', () => {
  expect(readUntil('loop.succeeded > 1').kind).toBe('other');
  expect(readUntil({ left: '{{ loop.count }}', op: 'gte', right: 2 }).kind).toBe('other');
  const loop = findNode(FLOW, 'each');
  expect(loop === undefined ? [] : answersInside(FLOW, loop)).toEqual(['yes', 'no "way"']);
});
