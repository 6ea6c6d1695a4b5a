/* api/bulk.ts — one command for many runs: a preview first, then progress, then what became of each. */
import { queryOptions } from '@tanstack/react-query';

import { t } from '../texts/ui';
import { api, ok, type Schemas } from './client';
import { Problem } from './problem';

export type BulkFilter = Schemas['BulkFilter'];
export type BulkRequest = Schemas['BulkRequest'];
export type BulkPreview = Schemas['BulkPreview'];
export type Bulk = Schemas['Bulk'];
export type BulkAction = 'retry' | 'cancel' | 'signal';

const RESULTS_PAGE = 100;

/** A list of all that would be touched. Nothing is. */
export const previewQuery = (request: BulkRequest) =>
  queryOptions({
    queryKey: ['instances', null, 'preview', request],
    queryFn: async ({ signal }) => {
      const answer = await ok(api.POST('/v1/bulk', { body: { ...request, dryRun: true }, signal }));
      if (!('dryRun' in answer)) throw new Problem(500, '', t.theEngineGaveNoPreview, answer);
      return answer;
    },
    staleTime: 0,
  });

export async function beginBulk(request: BulkRequest, key: string): Promise<Bulk> {
  const answer = await ok(
    api.POST('/v1/bulk', { params: { header: { 'Idempotency-Key': key } }, body: request }),
  );
  if (!('id' in answer)) throw new Problem(500, '', t.theEngineBeganNothing, answer);
  return answer;
}

/** Does no more of it; what is done stays done. */
export const stopBulk = (id: string, key: string): Promise<Bulk> =>
  ok(
    api.POST('/v1/bulk/{id}/cancel', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
    }),
  );

/** It keeps its place until it is told to go on. */
export const pauseBulk = (id: string, isPaused: boolean, key: string): Promise<Bulk> => {
  const params = { path: { id }, header: { 'Idempotency-Key': key } };
  return ok(
    isPaused ? api.POST('/v1/bulk/{id}/pause', { params }) : api.POST('/v1/bulk/{id}/resume', { params }),
  );
};

/** Brings the runs of a migration back; a bulk of its own. */
export async function undoBulk(id: string, key: string): Promise<Bulk> {
  const answer = await ok(
    api.POST('/v1/bulk/{id}/undo', { params: { path: { id }, header: { 'Idempotency-Key': key } } }),
  );
  if (!('id' in answer)) throw new Problem(500, '', t.theEngineBeganNothing, answer);
  return answer;
}

/** Bulks that are not over, the newest first: somebody began them and has left their page. */
export const openBulksQuery = () =>
  queryOptions({
    queryKey: ['bulk', null, 'open'],
    queryFn: async ({ signal }) => {
      const { items } = await ok(api.GET('/v1/bulk', { params: { query: { pageSize: 100 } }, signal }));
      return items.filter(({ state }) => state === 'running' || state === 'paused');
    },
  });

export const bulkQuery = (id: string) =>
  queryOptions({
    queryKey: ['bulk', id, 'progress'],
    queryFn: ({ signal }) => ok(api.GET('/v1/bulk/{id}', { params: { path: { id } }, signal })),
  });

export const bulkResultsQuery = (id: string) =>
  queryOptions({
    queryKey: ['bulk', id, 'results'],
    queryFn: ({ signal }) =>
      ok(
        api.GET('/v1/bulk/{id}/results', {
          params: { path: { id }, query: { pageSize: RESULTS_PAGE } },
          signal,
        }),
      ),
  });
