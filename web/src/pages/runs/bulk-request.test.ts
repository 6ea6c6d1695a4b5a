import { expect, test } from 'vitest';

import { NO_FILTER, type RunFilter } from '../../ui/run-filter';
import { refusalOf, requestForFilter, requestForIds, withData, withSignal } from './bulk-request';

const filter = (some: Partial<RunFilter>): RunFilter => ({ ...NO_FILTER, ...some });

test('the filter of the list becomes the filter of the bulk', () => {
  expect(requestForIds('retry', ['a', 'b'])).toEqual({ action: 'retry', filter: { ids: ['a', 'b'] } });
  expect(requestForFilter('retry', NO_FILTER, undefined)).toEqual({ action: 'retry', all: true });
  const some = filter({
    status: ['failed'],
    reason: 'x',
    definitionId: 'd',
    version: '3',
    failedAt: 'n',
    keyword: 'INV',
  });
  expect(requestForFilter('retry', some, '2026-05-12T13:05:00Z')).toEqual({
    action: 'retry',
    filter: {
      definitionId: 'd',
      definitionVersion: 3,
      businessKeyPrefix: 'INV',
      reason: 'x',
      step: 'n',
      startedAfter: '2026-05-12T13:05:00Z',
    },
  });
});

test.each([
  ['retry', {}, true],
  ['retry', { status: ['failed', 'person'] }, true],
  ['retry', { status: ['waiting'] }, false],
  ['retry', { waitingFor: 'job' }, false],
  ['cancel', { status: ['failed'] }, true],
  ['cancel', { status: ['completed'] }, false],
  ['cancel', { status: ['waiting'] }, true],
  ['cancel', { reason: 'x' }, true],
  ['signal', { reason: 'x' }, false],
  ['signal', { reasonContains: 'x' }, false],
] as const)('%s of %j', (action, some, isAllowed) => {
  expect(refusalOf(filter(some), action) === null).toBe(isAllowed);
});

test('runs that failed are cancelled only if the filter asks for them', () => {
  const asked = (some: Partial<RunFilter>) => requestForFilter('cancel', filter(some), undefined);
  expect(asked({ status: ['failed'] })).toEqual({ action: 'cancel', filter: { status: 'FAILED' } });
  expect(asked({ reasonContains: 'x' })).toEqual({
    action: 'cancel',
    filter: { status: 'FAILED', reasonContains: 'x' },
  });
  expect(asked({ failedAt: 'n' }).filter).toEqual({ status: 'FAILED', step: 'n' });
  expect(asked({ status: ['failed', 'person'], definitionId: 'd' })).toEqual({
    action: 'cancel',
    filter: { definitionId: 'd' },
    failed: true,
  });
  expect(asked({})).toEqual({ action: 'cancel', all: true });
  expect(asked({ status: ['person'] })).toEqual({ action: 'cancel', all: true });
  expect(requestForIds('cancel', ['a'])).toEqual({ action: 'cancel', filter: { ids: ['a'] }, failed: true });
});

test('data is put into runs that are tried again', () => {
  const request = requestForIds('retry', ['a']);
  expect(withData(request, {})).toBe(request);
  expect(withData(request, { gateway: 'eu' })).toEqual({ ...request, variables: { gateway: 'eu' } });
});

test('a signal is for the runs that stand at its step, however they were chosen', () => {
  const step = { definitionId: 'd', step: 'w' };
  expect(withSignal(requestForIds('signal', ['a']), 'd', 'w', {})).toEqual({
    action: 'signal',
    filter: { ids: ['a'], ...step },
    step: 'w',
  });
  expect(withSignal(requestForFilter('signal', NO_FILTER, undefined), 'd', 'w', { x: 1 })).toEqual({
    action: 'signal',
    filter: step,
    step: 'w',
    variables: { x: 1 },
  });
});
