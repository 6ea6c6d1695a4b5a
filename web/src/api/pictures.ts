/* api/pictures.ts — the engine's pictures of definitions. A version never changes, so its picture is asked for once. */
import { queryOptions } from '@tanstack/react-query';

import { api, authorizedFetch, ok, type Schemas } from './client';
import { problemOf } from './problem';
import { sayTitled } from './titled';

export type Picture = Schemas['Picture'];
export type PictureNode = Schemas['PictureNode'];
export type PictureEdge = Schemas['PictureEdge'];

const sayPicture = (picture: Picture): Picture => ({ ...picture, nodes: picture.nodes.map(sayTitled) });

/** The picture of a text in JSON or YAML, which need not be published. */
export async function drawText(text: string, signal: AbortSignal): Promise<Picture> {
  const response = await authorizedFetch('/api/pictures', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: text,
    signal,
  });
  const body = (await response.json()) as unknown;
  if (!response.ok) throw problemOf(response.status, body);
  return sayPicture(body as Picture);
}

export const pictureQuery = (id: string, version: number | 'latest') =>
  queryOptions({
    queryKey: ['definitions', id, 'picture', version],
    queryFn: ({ signal }) =>
      ok(
        api.GET('/api/definitions/{id}/versions/{version}/picture', {
          params: { path: { id, version: String(version) } },
          signal,
        }),
      ).then(sayPicture),
    ...(version === 'latest' ? {} : { staleTime: Infinity }),
  });
