import { expect, test } from 'vitest';

import type { RunGroup } from '../../api/run-groups';
import { NO_FILTER } from '../../ui/run-filter';
import { askedOf, filterOfGroup } from './asked';

const GROUP: RunGroup = {
  status: 'failed',
  count: 3,
  sentence: 'The web service did not answer (503)',
  definitionId: 'invoice',
  definitionName: 'Invoice',
  nodeId: 'post',
  nodeTitle: 'Post to ledger',
  reason: 'HTTP #',
  oldestAt: '2026-05-12T12:00:00Z',
  newestAt: '2026-05-12T12:10:00Z',
};

test('a filter asks for what it has and nothing else', () => {
  expect(askedOf(NO_FILTER, undefined)).toEqual({});
  expect(
    askedOf(
      { ...NO_FILTER, status: ['failed', 'person'], version: '3', keyword: 'INV' },
      '2026-05-12T12:00:00Z',
    ),
  ).toEqual({ status: 'failed,person', version: 3, keyword: 'INV', startedAfter: '2026-05-12T12:00:00Z' });
});

test('a group of failed runs is found by flow, step and reason', () => {
  const filter = filterOfGroup({ ...NO_FILTER, status: ['failed', 'person'], keyword: 'INV' }, GROUP);
  expect(filter).toEqual({
    ...NO_FILTER,
    keyword: 'INV',
    status: ['failed'],
    definitionId: 'invoice',
    reason: 'HTTP #',
    failedAt: 'post',
  });
});

test('a group of others is found by flow and step, or by what it waits for where the step is not known', () => {
  const waiting: RunGroup = {
    status: 'waiting',
    waitingFor: 'signal',
    count: 3,
    sentence: 'x',
    definitionId: 'invoice',
    definitionName: 'Invoice',
    oldestAt: GROUP.oldestAt,
    newestAt: GROUP.newestAt,
  };
  expect(filterOfGroup(NO_FILTER, { ...waiting, nodeId: 'goods' })).toEqual({
    ...NO_FILTER,
    status: ['waiting'],
    definitionId: 'invoice',
    waitingAt: 'goods',
  });
  expect(filterOfGroup(NO_FILTER, waiting).waitingFor).toBe('signal');
});
