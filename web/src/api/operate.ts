/* api/operate.ts — counts, rates and health of the engine. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';

export type Overview = Schemas['Overview'];
export type Series = Schemas['Series'];

/** Counts change with every run: the stream says so at most five times a second, and each page shows them. */
export const overviewQuery = () =>
  queryOptions({
    queryKey: ['overview', null],
    queryFn: ({ signal }) => ok(api.GET('/api/overview', { signal })),
  });

/** New runs are made and do not begin, until it goes on. */
export const pauseEngine = (isPaused: boolean): Promise<unknown> =>
  ok(isPaused ? api.POST('/api/engine/pause') : api.POST('/api/engine/resume'));

const MINUTE_MS = 60_000;

export const seriesQuery = () =>
  queryOptions({
    queryKey: ['series', null],
    queryFn: ({ signal }) => ok(api.GET('/api/series', { signal })),
    refetchInterval: MINUTE_MS / 4,
  });

/** Tasks that are late, the one that is late for longest first. `before` is a whole minute, so that the question stays the same. */
export const lateTasksQuery = (before: string) =>
  queryOptions({
    queryKey: ['tasks', null, 'late', before],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/tasks', { params: { query: { dueBefore: before, pageSize: 5 } }, signal })),
  });
