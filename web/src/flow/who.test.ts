import { expect, test } from 'vitest';

import { openValue } from './flow';
import { whoIsNamed } from './who';

test('people and groups of all steps are known, each once', () => {
  const opened = openValue({
    dialect: 'graph/1',
    name: 'A',
    nodes: [
      {
        id: 'a',
        type: 'human_task',
        config: {
          groups: ['managers', '{{ trigger.payload.group }}'],
          assignees: ['ann'],
          escalation: [{ after: '2d', groups: ['board'], assignees: ['zoe'] }],
        },
      },
      { id: 'b', type: 'human_task', config: { groups: ['managers', 'hr'], assignees: 'bob' } },
      { id: 'c', type: 'end' },
    ],
    edges: [],
  });
  if (opened.kind !== 'flow') throw new Error('a test needs a flow');
  expect(whoIsNamed(opened.flow, 'groups')).toEqual(['board', 'hr', 'managers']);
  expect(whoIsNamed(opened.flow, 'people')).toEqual(['ann', 'bob', 'zoe']);
});
