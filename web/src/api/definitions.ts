/* api/definitions.ts — definitions, which the screen calls flows. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok } from './client';

const NAMES_MAX = 200;

/** Ids and names, for lists to choose from. */
export const definitionNamesQuery = () =>
  queryOptions({
    queryKey: ['definitions', null, 'names'],
    queryFn: ({ signal }) =>
      ok(api.GET('/v1/definitions', { params: { query: { pageSize: NAMES_MAX } }, signal })),
    staleTime: 60_000,
  });
