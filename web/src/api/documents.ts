/* api/documents.ts — the document of a published version, as its author wrote it. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok } from './client';

/** A version never changes, so it is asked for once. */
export const documentQuery = (definitionId: string, version: number) =>
  queryOptions({
    queryKey: ['definitions', definitionId, 'document', version],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      ok(
        api.GET('/v1/definitions/{id}/versions/{version}', {
          params: { path: { id: definitionId, version } },
          signal,
        }),
      ),
  });
