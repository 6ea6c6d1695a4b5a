/* pages/runs/bulk-request.ts — the request for many runs: those that were chosen, or all that the list's filter lets through. */
import type { BulkAction, BulkFilter, BulkRequest } from '../../api/bulk';
import type { RunFilter } from '../../ui/run-filter';

/** Why the filter cannot be handed to a bulk as it is; null: it can. A bulk has no words for everything that a list has. */
export function refusalOf(filter: RunFilter, action: BulkAction): string | null {
  if (filter.waitingFor !== '') return 'Choose runs one by one, or take the filter “Waits for” away.';
  if (filter.failedAt !== '' && filter.waitingAt !== '') return 'Choose one step to filter by.';
  if (action === 'retry') {
    const isOther = filter.status.length > 0 && !filter.status.includes('failed');
    return isOther ? 'Only runs that failed can be retried.' : null;
  }
  const ended = filter.status.every((status) => ['failed', 'completed', 'cancelled'].includes(status));
  if (filter.status.length > 0 && ended) return 'None of these runs is on its way.';
  return filter.reason === '' ? null : 'Runs that failed are cancelled one by one.';
}

export function requestForIds(action: BulkAction, ids: readonly string[]): BulkRequest {
  return { action, filter: { ids: [...ids] } };
}

export function requestForFilter(
  action: BulkAction,
  filter: RunFilter,
  after: string | undefined,
): BulkRequest {
  const step = filter.failedAt || filter.waitingAt;
  const asked: BulkFilter = {
    ...(filter.definitionId === '' ? {} : { definitionId: filter.definitionId }),
    ...(filter.version === '' ? {} : { definitionVersion: Number(filter.version) }),
    ...(filter.businessKey === '' ? {} : { businessKey: filter.businessKey }),
    ...(filter.keyword === '' ? {} : { businessKeyPrefix: filter.keyword }),
    ...(filter.reason === '' || action !== 'retry' ? {} : { reason: filter.reason }),
    ...(step === '' ? {} : { step }),
    ...(after === undefined ? {} : { startedAfter: after }),
  };
  return Object.keys(asked).length === 0 ? { action, all: true } : { action, filter: asked };
}

/** The request with the signal's step: only runs of that flow that stand there are touched. */
export function withSignal(
  request: BulkRequest,
  definitionId: string,
  step: string,
  variables: Record<string, unknown>,
): BulkRequest {
  return {
    action: request.action,
    filter: { ...request.filter, definitionId, step },
    step,
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
  };
}
