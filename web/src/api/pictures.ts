/* api/pictures.ts — the engine's pictures of definitions. A version never changes, so its picture is asked for once. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';

export type Picture = Schemas['Picture'];
export type PictureNode = Schemas['PictureNode'];
export type PictureEdge = Schemas['PictureEdge'];

export const pictureQuery = (id: string, version: number | 'latest') =>
  queryOptions({
    queryKey: ['definitions', id, 'picture', version],
    queryFn: ({ signal }) =>
      ok(
        api.GET('/api/definitions/{id}/versions/{version}/picture', {
          params: { path: { id, version: String(version) } },
          signal,
        }),
      ),
    ...(version === 'latest' ? {} : { staleTime: Infinity }),
  });
