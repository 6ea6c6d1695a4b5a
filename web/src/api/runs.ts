/* api/runs.ts — the list of runs. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api, ok } from './client';
import type { operations } from './schema';

export type RunsAsked = NonNullable<operations['listRuns']['parameters']['query']>;

export const RUNS_PAGE = 50;

export const runsQuery = (asked: RunsAsked) =>
  queryOptions({
    queryKey: ['instances', null, 'list', asked],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/instances', { params: { query: { pageSize: RUNS_PAGE, ...asked } }, signal })),
    placeholderData: keepPreviousData,
  });
