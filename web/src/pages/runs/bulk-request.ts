/* pages/runs/bulk-request.ts — the request for many runs: those that were chosen, or all that the list's filter lets through. */
import type { BulkAction, BulkFilter, BulkRequest } from '../../api/bulk';
import type { RunFilter } from '../../ui/run-filter';
import { t } from '../../texts/runs';

/** Why the filter cannot be handed to a bulk as it is; null: it can. A bulk has no words for everything that a list has. */
export function refusalOf(filter: RunFilter, action: BulkAction): string | null {
  if (filter.waitingFor !== '') return t.chooseRunsOneByOne;
  if (filter.failedAt !== '' && filter.waitingAt !== '') return t.chooseOneStepToFilter;
  if (action === 'retry') {
    const isOther = filter.status.length > 0 && !filter.status.includes('failed');
    return isOther ? t.onlyRunsThatFailedCan : null;
  }
  const over = action === 'cancel' ? ['completed', 'cancelled'] : ['failed', 'completed', 'cancelled'];
  if (filter.status.length > 0 && filter.status.every((status) => over.includes(status)))
    return t.noneOfTheseRuns;
  const isFailed = filter.reason !== '' || filter.reasonContains !== '';
  return isFailed && action === 'signal' ? t.runsThatFailedWait : null;
}

const LIVE: readonly string[] = ['person', 'waiting', 'running'];

/* Runs that failed are cancelled only if the filter asks for them: alone, or beside others. */
function statusOf(action: BulkAction, filter: RunFilter): Pick<BulkRequest, 'filter' | 'failed'> {
  if (action !== 'cancel') return {};
  const isAsked = filter.status.includes('failed');
  const isAlone =
    [filter.reason, filter.reasonContains, filter.failedAt].some((text) => text !== '') ||
    (isAsked && !filter.status.some((each) => LIVE.includes(each)));
  if (isAlone) return { filter: { status: 'FAILED' } };
  return isAsked ? { failed: true } : {};
}

export function requestForIds(action: BulkAction, ids: readonly string[]): BulkRequest {
  return { action, filter: { ids: [...ids] }, ...(action === 'cancel' ? { failed: true } : {}) };
}

export function requestForFilter(
  action: BulkAction,
  filter: RunFilter,
  after: string | undefined,
): BulkRequest {
  const step = filter.failedAt || filter.waitingAt;
  const { filter: ofStatus, ...more } = statusOf(action, filter);
  const asked: BulkFilter = {
    ...ofStatus,
    ...(filter.definitionId === '' ? {} : { definitionId: filter.definitionId }),
    ...(filter.version === '' ? {} : { definitionVersion: Number(filter.version) }),
    ...(filter.businessKey === '' ? {} : { businessKey: filter.businessKey }),
    ...(filter.keyword === '' ? {} : { businessKeyPrefix: filter.keyword }),
    ...(filter.reason === '' ? {} : { reason: filter.reason }),
    ...(filter.reasonContains === '' ? {} : { reasonContains: filter.reasonContains }),
    ...(step === '' ? {} : { step }),
    ...(after === undefined ? {} : { startedAfter: after }),
  };
  return Object.keys(asked).length === 0
    ? { action, all: true, ...more }
    : { action, filter: asked, ...more };
}

/** The request with data that is put into each run before it is tried again. */
export const withData = (request: BulkRequest, variables: Record<string, unknown>): BulkRequest =>
  Object.keys(variables).length === 0 ? request : { ...request, variables };

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
