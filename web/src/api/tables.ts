/* api/tables.ts — decision tables: where they are, what the engine finds in one, what it makes of values. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { type JsonObject, printJson } from '../flow/json';
import { api, authorizedFetch, ok, type Schemas } from './client';
import { problemOf } from './problem';

export type TableSummary = Schemas['TableSummary'];
export type TableTrial = Schemas['TableTrial'];

const PAGE = 50;

/* Tables change with what is published and with drafts: the page asks for both kinds of events. */
export const tablesQuery = (keyword: string) =>
  infiniteQueryOptions({
    queryKey: ['definitions', null, 'tables', keyword],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET('/api/tables', {
          params: {
            query: {
              pageSize: PAGE,
              ...(keyword === '' ? {} : { keyword }),
              ...(pageParam === '' ? {} : { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
  });

/** Findings about a step with a table, and what it makes of each row of values. The text itself is the key. */
export const trialQuery = (step: JsonObject, rows: readonly JsonObject[]) => {
  const body = printJson({ table: step, rows: rows.map((variables) => ({ variables })) });
  return queryOptions({
    queryKey: ['table-trial', null, body],
    queryFn: async ({ signal }): Promise<TableTrial> => {
      const response = await authorizedFetch('/api/tables/try', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        signal,
      });
      const answer: unknown = await response.json().catch(() => null);
      if (!response.ok) throw problemOf(response.status, answer);
      return answer as TableTrial;
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
};
