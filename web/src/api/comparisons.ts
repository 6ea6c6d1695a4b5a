/* api/comparisons.ts — two versions of a definition, and what differs. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';

export type Comparison = Schemas['Comparison'];

/** Versions never change, so two of them are compared once. */
export const comparisonQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['definitions', id, 'compare', from, to],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/definitions/{id}/compare', { params: { path: { id }, query: { from, to } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
