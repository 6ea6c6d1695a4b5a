/* api/instances.ts — runs: lists, one run, its visits, and what may be done to it. Keys are [kind, id, part]. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api, done, ok, type Schemas } from './client';
import { sayGrouped, sayItems, sayTitled } from './titled';

export type Run = Schemas['Run'];
export type RunItem = Schemas['RunItem'];
export type RunPage = Schemas['RunPage'];
export type Visit = Schemas['Visit'];
export type VisitWhole = Schemas['VisitWhole'];
export type ReasonGroup = Schemas['BulkGroup'];

const VISITS_PAGE = 100;

const sayRun = (run: Run): Run => ({
  ...run,
  nodes: Object.fromEntries(Object.entries(run.nodes).map(([id, node]) => [id, sayTitled(node)])),
});

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', id, 'run'],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/instances/{id}', { params: { path: { id } }, signal })).then(sayRun),
  });

/** The last visits come first: somebody who opens a run that has gone round for weeks asks where it is now. */
export const visitsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['instances', id, 'visits'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET('/api/instances/{id}/visits', {
          params: {
            path: { id },
            query: {
              pageSize: VISITS_PAGE,
              order: 'newest',
              ...(pageParam === '' ? {} : { cursor: pageParam }),
            },
          },
          signal,
        }),
      ).then(sayItems<Visit>(sayTitled)),
    getNextPageParam: (page) => page.nextCursor,
  });

export const visitQuery = (id: string, number: number) =>
  queryOptions({
    queryKey: ['instances', id, 'visits', number],
    queryFn: ({ signal }): Promise<VisitWhole> =>
      ok(
        api.GET('/api/instances/{id}/visits/{number}', {
          params: { path: { id, number: String(number) } },
          signal,
        }),
      ).then(sayTitled),
    placeholderData: keepPreviousData,
  });

export const reasonsQuery = () =>
  queryOptions({
    queryKey: ['instances', null, 'reasons'],
    queryFn: ({ signal }) =>
      ok(api.GET('/v1/instances/reasons', { signal })).then((answer) => ({
        ...answer,
        groups: answer.groups.map(sayGrouped),
      })),
  });

export function retryRun(id: string, key: string): Promise<void> {
  return done(
    api.POST('/v1/instances/{id}/retry', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
      body: {},
    }),
  );
}

export function cancelRun(id: string, reason: string, isFailed: boolean, key: string): Promise<void> {
  return done(
    api.POST('/v1/instances/{id}/cancel', {
      params: { path: { id }, query: { failed: isFailed }, header: { 'Idempotency-Key': key } },
      body: { reason },
    }),
  );
}

export interface Repair {
  set?: Record<string, unknown>;
  move?: { from: string; to: string }[];
  reason?: string;
}

/** Changes data and moves tokens in one command, only if the run is as it was seen. `isTry`: says what would happen. */
export const modifyRun = (id: string, repair: Repair, ifRevision: number, isTry: boolean, key: string) =>
  ok(
    api.POST('/v1/instances/{id}/modify', {
      params: {
        path: { id },
        ...(isTry ? { query: { dryRun: 'true' as const } } : { header: { 'Idempotency-Key': key } }),
      },
      body: { ...repair, ifRevision },
    }),
  );

export function signalRun(
  id: string,
  stepId: string,
  variables: Readonly<Record<string, unknown>>,
  key: string,
): Promise<void> {
  return done(
    api.POST('/v1/instances/{id}/signals/{stepId}', {
      params: { path: { id, stepId }, header: { 'Idempotency-Key': key } },
      body: variables,
    }),
  );
}
