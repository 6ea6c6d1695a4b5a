/* pages/runs/asked.ts — what the filter asks of the engine, and what a group of runs adds to the filter. Pure. */
import type { RunGroup } from '../../api/run-groups';
import type { RunsAsked } from '../../api/runs';
import { type RunFilter, TEXT_NAMES } from '../../ui/run-filter';
import { isStatus } from '../../ui/words';

export function askedOf(filter: RunFilter, after: string | undefined): RunsAsked {
  const texts = Object.fromEntries(
    TEXT_NAMES.filter((name) => filter[name] !== '' && name !== 'version').map((name) => [
      name,
      filter[name],
    ]),
  );
  return {
    ...texts,
    ...(filter.version === '' ? {} : { version: Number(filter.version) }),
    ...(filter.status.length === 0 ? {} : { status: filter.status.join(',') }),
    ...(after === undefined ? {} : { startedAfter: after }),
  };
}

/** The filter that lets through the runs of one group only. */
export function filterOfGroup(filter: RunFilter, group: RunGroup): RunFilter {
  const node = group.nodeId ?? '';
  const isFailed = group.status === 'failed';
  return {
    ...filter,
    status: isStatus(group.status) ? [group.status] : [],
    definitionId: group.definitionId,
    reason: group.reason ?? filter.reason,
    failedAt: isFailed ? node : '',
    waitingAt: isFailed ? '' : node,
    // Where it stands says what it waits for; a bulk has no word for the latter.
    waitingFor: isFailed || node !== '' ? '' : (group.waitingFor ?? ''),
  };
}

export const groupKey = (group: RunGroup) =>
  [group.status, group.definitionId, group.nodeId, group.reason, group.waitingFor].join('\n');
