/* api/pictures.ts — the engine's pictures of definitions. A version never changes, so its picture is asked for once. */
import { queryOptions } from '@tanstack/react-query';

import { api, authorizedFetch, ok, type Schemas } from './client';
import { problemOf } from './problem';
import { sayTitled } from './titled';

export type Picture = Schemas['Picture'];
export type PictureNode = Schemas['PictureNode'];
export type PictureEdge = Schemas['PictureEdge'];

/** Families that the canvas edits, as far as they have no places of their own. */
const ON_CANVAS: readonly string[] = ['graph', 'steps', 'serverless'];

async function placed(picture: Picture, readText: () => Promise<string>): Promise<Picture> {
  if (picture.isPlaced || !ON_CANVAS.includes(picture.dialect)) return picture;
  const [text, { placedAsOnCanvas }] = await Promise.all([readText(), import('./picture-places')]);
  return placedAsOnCanvas(picture, text);
}

async function readVersion(id: string, version: number, signal: AbortSignal): Promise<string> {
  const path = `/v1/definitions/${encodeURIComponent(id)}/versions/${version}`;
  const response = await authorizedFetch(path, { signal });
  const text = await response.text();
  if (!response.ok) throw problemOf(response.status, text);
  return text;
}

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
  return placed(sayPicture(body as Picture), () => Promise.resolve(text));
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
      ).then((picture) =>
        placed(sayPicture(picture), () => readVersion(id, picture.version ?? Number(version), signal)),
      ),
    ...(version === 'latest' ? {} : { staleTime: Infinity }),
  });
