/* api/definitions.ts — definitions, which the screen calls flows. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { api, authorizedFetch, ok, type Schemas } from './client';
import { problemOf } from './problem';
import { sayLabelled } from './titled';

export type Definition = Schemas['DefinitionSummary'];
export type DefinitionDetails = Schemas['DefinitionDetails'];

const NAMES_MAX = 200;

/** Ids and names, for lists to choose from. */
export const definitionNamesQuery = () =>
  queryOptions({
    queryKey: ['definitions', null, 'names'],
    queryFn: ({ signal }) =>
      ok(api.GET('/v1/definitions', { params: { query: { pageSize: NAMES_MAX } }, signal })),
    staleTime: 60_000,
  });

const PAGE = 30;
const THERE_MAX = 100;

/** All definitions, by id; `isWarned`: only those whose document has warnings. */
export const definitionsQuery = (keyword: string, isWarned = false) =>
  infiniteQueryOptions({
    queryKey: ['definitions', null, 'list', keyword, isWarned],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET('/api/definitions', {
          params: {
            query: {
              pageSize: PAGE,
              ...(keyword === '' ? {} : { keyword }),
              ...(isWarned ? { warnings: true } : {}),
              ...(pageParam === '' ? {} : { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
  });

export const definitionQuery = (id: string) =>
  queryOptions({
    queryKey: ['definitions', id, 'details'],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/definitions/{id}', { params: { path: { id } }, signal })).then((definition) => ({
        ...definition,
        starts: definition.starts.map(sayLabelled),
      })),
  });

/** Whether there is a definition of that id, without an error if there is none. Where too many others have the id in theirs, nobody knows:
 * then it counts as there. */
export async function isDefinitionThere(id: string): Promise<boolean> {
  const query = { keyword: id, pageSize: THERE_MAX };
  const { items, nextCursor } = await ok(api.GET('/api/definitions', { params: { query } }));
  return nextCursor !== undefined || items.some(({ definitionId }) => definitionId === id);
}

/** The document of a version as it was uploaded. */
export const documentQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['definitions', id, 'document', version],
    queryFn: ({ signal }) =>
      ok(
        api.GET('/v1/definitions/{id}/versions/{version}', {
          params: { path: { id, version } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

/** Starts a run: the input is the trigger's payload, or the variables. Returns its id; empty: the start waits for a place. */
export async function startFlow(
  id: string,
  asked: { readonly input: unknown; readonly businessKey: string; readonly trigger: string },
  key: string,
): Promise<string> {
  const answer: unknown = await ok(
    api.POST('/api/workflows/{id}/start', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
      body: {
        input: asked.input,
        ...(asked.businessKey === '' ? {} : { businessKey: asked.businessKey }),
        ...(asked.trigger === '' ? {} : { trigger: asked.trigger }),
      },
    }),
  );
  const instanceId: unknown =
    typeof answer === 'object' && answer !== null
      ? (Reflect.get(answer, 'instanceId') ?? Reflect.get(answer, 'id'))
      : '';
  return typeof instanceId === 'string' ? instanceId : '';
}

/** Makes an older version the latest again, as a new version that names it. Returns its number. */
export async function restoreVersion(id: string, version: number, key: string): Promise<number> {
  const answer = await ok(
    api.POST('/api/definitions/{id}/versions/{version}/restore', {
      params: { path: { id, version: String(version) }, header: { 'Idempotency-Key': key } },
    }),
  );
  return answer.version;
}

/** Nothing of the flow starts any more. */
export async function retireFlow(id: string, key: string): Promise<void> {
  await ok(
    api.POST('/api/definitions/{id}/retire', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
    }),
  );
}

/** Deletes the flow; `withEnded`: its ended runs, too, which goes on after the answer. */
export async function deleteFlow(
  id: string,
  withEnded: boolean,
  key: string,
): Promise<'deleted' | 'deleting'> {
  const answer = await ok(
    api.DELETE('/api/definitions/{id}', {
      params: {
        path: { id },
        header: { 'Idempotency-Key': key },
        ...(withEnded ? { query: { with: 'ended' as const } } : {}),
      },
    }),
  );
  return answer.state;
}

/** Publishes a document of any family, JSON or YAML, as its author wrote it. */
export async function deployText(text: string): Promise<{ readonly id: string; readonly version: number }> {
  const response = await authorizedFetch('/v1/definitions', {
    method: 'POST',
    headers: { 'Content-Type': text.trimStart().startsWith('{') ? 'application/json' : 'application/yaml' },
    body: text,
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw problemOf(response.status, body);
  if (typeof body !== 'object' || body === null) throw problemOf(500, body);
  return { id: String(Reflect.get(body, 'id')), version: Number(Reflect.get(body, 'version')) };
}
