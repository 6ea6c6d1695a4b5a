import { describe, expect, test } from 'vitest';

import type { Task } from '../../api/tasks';
import { durationWords, factsOf, holderWords, unansweredWords } from './story';
import { mergeByDue, parseWhose, printWhose, WHOSES } from './task-lists';

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

test.each([
  ['3d', '3 days'],
  ['P1D', '1 day'],
  ['PT1H30M', '1 hour and 30 minutes'],
  ['1h30m', '1 hour and 30 minutes'],
  ['500ms', '500 milliseconds'],
  ['{{ vars.x }}', '{{ vars.x }}'],
])('%s is %s', (text, words) => {
  expect(durationWords(text)).toBe(words);
});

describe('what happens if nobody answers', () => {
  const graph = (config: object) => ({
    nodes: [
      { id: 'ask', label: 'Ask', config },
      { id: 'no', label: 'Declined' },
    ],
    edges: [{ from: 'ask', to: 'no', fromPort: 'timeout' }],
  });

  test.each([
    [graph({}), ''],
    [graph({ timeout: '7d' }), 'If nobody answers, after 7 days the run goes on with “Declined”.'],
    [
      graph({ reminders: ['1d', '2d'], escalation: { after: 'P3D', groups: ['heads'] } }),
      'If nobody answers, a reminder goes out after 1 day and 2 days and after 3 days it is passed on to heads.',
    ],
    [
      {
        steps: [
          {
            id: 'ask',
            name: 'Ask',
            boundaryEvents: [{ type: 'TIMER', duration: 'P1D', targetStepId: 'no' }],
          },
          { id: 'no', name: 'Refused' },
        ],
      },
      'If nobody answers, after 1 day the run goes on with “Refused”.',
    ],
    [{ nodes: 'nonsense' }, ''],
    [undefined, ''],
  ])('%#', (document, words) => {
    expect(unansweredWords(document, 'ask')).toBe(words);
  });
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

test('the address keeps whose list it is', () => {
  for (const whose of WHOSES) expect(parseWhose(printWhose(whose))).toBe(whose);
  expect(parseWhose('?for=nobody')).toBe('mine');
});
