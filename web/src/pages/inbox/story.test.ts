import { expect, test } from 'vitest';

import type { Task } from '../../api/tasks';
import { factsOf, holderWords, portTarget } from './story';
import { mergeByDue, mergeKnown, parseWhose, printWhose, WHOSES } from './task-lists';

const TASK: Task = {
  id: 't1',
  instanceId: 'i1',
  nodeId: 'ask',
  title: 'Approve',
  definitionId: 'd',
  definitionVersion: 1,
  createdAt: '2026-05-12T09:00:00Z',
  assignees: [],
  groups: [],
  priority: 50,
};

test.each([
  [{}, 'For everybody, not taken yet'],
  [{ assignee: 'ada' }, 'You have it'],
  [{ assignee: 'bob' }, 'bob has it'],
  [{ assignees: ['ada', 'bob'], groups: ['hr'] }, 'For you, bob or the group hr, not taken yet'],
  [{ groups: ['hr', 'it'] }, 'For the groups hr and it, not taken yet'],
])('%j: %s', (over, words) => {
  expect(holderWords({ ...TASK, ...over }, 'ada')).toBe(words);
});

const GRAPH = {
  nodes: [
    { id: 'ask', label: 'Ask' },
    { id: 'no', label: 'Declined' },
  ],
  edges: [{ from: 'ask', to: 'no', fromPort: 'decline' }],
};

test.each([
  [GRAPH, 'decline', 'Declined'],
  [GRAPH, 'approve', ''],
  [{ nodes: 'nonsense' }, 'decline', ''],
  [undefined, 'decline', ''],
])('where an answer leads: %#', (document, port, title) => {
  expect(portTarget(document, 'ask', port)).toBe(title);
});

test('facts are short single values of what the run was started with, except what is said already', () => {
  const variables = {
    vars: { x: 1 },
    trigger: {
      payload: {
        whoAsks: 'Shift B',
        from: '2026-05-18',
        days: 1234.5,
        ok: true,
        list: [1],
        note: 'said',
        long: 'x'.repeat(99),
      },
    },
  };
  expect(factsOf(variables, ['said'])).toEqual([
    { name: 'Who asks', value: 'Shift B' },
    { name: 'From', value: 'Mon 18 May 2026' },
    { name: 'Days', value: '1,234.5' },
    { name: 'Ok', value: 'Yes' },
  ]);
  expect(factsOf({ amount: 5 }, [])).toEqual([{ name: 'Amount', value: '5' }]);
  expect(factsOf(null, [])).toEqual([]);
});

test('several lists become one, each task once, what is due first in front', () => {
  const task = (id: string, due?: string): Task => ({ ...TASK, id, ...(due === undefined ? {} : { due }) });
  const merged = mergeByDue([
    [task('b', '2026-05-13T00:00:00Z'), task('none')],
    [task('a', '2026-05-12T00:00:00Z'), task('b', '2026-05-13T00:00:00Z')],
  ]);
  expect(merged.map(({ id }) => id)).toEqual(['a', 'b', 'none']);
});

test('what could still come in between is not shown yet', () => {
  const at = (day: number): Task => ({ ...TASK, id: `${day}`, due: `2026-05-${day}T00:00:00Z` });
  const one = { tasks: [at(11), at(13)], hasMore: true };
  const other = { tasks: [at(12), at(14), at(15)], hasMore: false };
  expect(mergeKnown([one, other]).map(({ id }) => id)).toEqual(['11', '12', '13']);
  expect(mergeKnown([{ ...one, hasMore: false }, other]).map(({ id }) => id)).toHaveLength(5);
  expect(mergeKnown([{ tasks: [], hasMore: true }, other])).toHaveLength(3);
  expect(mergeKnown([])).toEqual([]);
});

test('the address keeps whose list it is', () => {
  for (const whose of WHOSES) expect(parseWhose(printWhose(whose))).toBe(whose);
  expect(parseWhose('?for=nobody')).toBe('mine');
});
