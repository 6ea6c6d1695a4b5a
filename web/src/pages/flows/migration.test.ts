import { expect, test } from 'vitest';

import { likelyMap, lostSteps, requestOf, verdictsOf } from './migration';

const step = (id: string, title = id) => ({ id, title });

test('steps that the new version lacks need a place', () => {
  const older = [step('check'), step('ship', 'Ship it'), step('end')];
  const newer = [step('check'), step('deliver', 'ship it'), step('end')];
  expect(lostSteps(older, newer)).toEqual([step('ship', 'Ship it')]);
  expect(likelyMap(older, newer)).toEqual({ ship: 'deliver' });
  // Two that look alike are nobody's guess.
  expect(likelyMap(older, [...newer, step('send', 'Ship it')])).toEqual({});
});

test('the request has what was chosen, and nothing else', () => {
  const versions = { from: 1, to: 2 };
  expect(requestOf('order', versions, { ship: '' }, { isRetrying: true, reason: ' ' })).toEqual({
    definitionId: 'order',
    from: 1,
    to: 2,
  });
  expect(requestOf('order', versions, { ship: 'deliver' }, { isRetrying: false, reason: 'why' })).toEqual({
    definitionId: 'order',
    from: 1,
    to: 2,
    map: { ship: 'deliver' },
    retry: false,
    reason: 'why',
  });
});

test('a preview is told in three groups', () => {
  const group = {
    status: 'WAITING',
    verdict: 'cannot-move',
    count: 3,
    code: 'NODE_GONE',
    exampleReason: 'gone',
    firstAt: '2026-11-18T09:00:00Z',
    lastAt: '2026-11-18T09:00:00Z',
    examples: ['a'],
  } as const;
  const told = verdictsOf({
    dryRun: true,
    action: 'migrate',
    found: 5,
    moves: 2,
    mapped: 0,
    cannotMove: 3,
    groups: [{ ...group, examples: ['a'] }],
    groupCount: 1,
  });
  expect(told.map(({ verdict, count, groups }) => [verdict, count, groups.length])).toEqual([
    ['moves', 2, 0],
    ['mapped', 0, 0],
    ['cannot-move', 3, 1],
  ]);
});
