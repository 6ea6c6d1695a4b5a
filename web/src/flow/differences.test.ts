import { expect, test } from 'vitest';

import { sayDifferences } from './differences';
import { openValue } from './flow';
import type { Json } from './json';

function flow(name: string, nodes: Json[], edges: Json[] = []) {
  const opened = openValue({ dialect: 'graph/1', name, nodes, edges });
  if (opened.kind !== 'flow') throw new Error('a test needs a flow');
  return opened.flow;
}

const start = { id: 's', type: 'trigger_manual', label: 'Start', position: { x: 0, y: 0 } };
const mail = { id: 'm', type: 'action_email', label: 'Tell them', config: { to: ['a@b'] } };

test('two versions differ by the steps that one has, lacks and changed', () => {
  const mine = flow('A', [start, mail]);
  expect(sayDifferences(mine, flow('A', [{ ...start, position: { x: 9, y: 9 } }, mail]))).toEqual([]);
  expect(
    sayDifferences(
      mine,
      flow('B', [start, { id: 'e', type: 'end', label: 'End' }], [{ from: 's', to: 'e' }]),
    ),
  ).toEqual([
    'Theirs has “End”, which yours has not.',
    'Theirs lacks “Tell them”.',
    'Lines differ, too.',
    'Theirs is called “B”.',
  ]);
  expect(sayDifferences(mine, flow('A', [start, { ...mail, config: { to: ['c@d'] } }]))).toEqual([
    'Different in both: “Tell them”.',
  ]);
});
