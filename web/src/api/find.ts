/* api/find.ts — what a few letters can mean: flows, runs, people's tasks, entities, triggers. Each is asked for a handful. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';

type Trigger = Schemas['Trigger'];

const FOUND_MAX = 5;
const LOOKED_MAX = 200;
const PAGES_MAX = 10;
const MODELS_MAX = 8;
const ID_BEGINNING = /^[0-9a-f]{4,8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

export const findFlowsQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['definitions', null, 'find', keyword],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/definitions', { params: { query: { keyword, pageSize: FOUND_MAX } }, signal })),
    select: ({ items }) => items,
  });

export const findRunsQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['instances', null, 'find', keyword],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/instances', { params: { query: { keyword, pageSize: FOUND_MAX } }, signal })),
    select: ({ items }) => items,
  });

export const findTasksQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['tasks', undefined, 'find', keyword],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/tasks', { params: { query: { keyword, pageSize: FOUND_MAX } }, signal })),
    select: ({ items }) => items,
  });

interface FoundTriggers {
  readonly items: readonly Trigger[];
  /** There are more triggers than were looked at. */
  readonly isCut: boolean;
}

/** The engine looks at so many triggers a page; a few pages are enough for a glance. */
async function findTriggers(keyword: string, signal: AbortSignal): Promise<FoundTriggers> {
  const items: Trigger[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { keyword, pageSize: LOOKED_MAX, ...(cursor === undefined ? {} : { cursor }) };
    const found = await ok(api.GET('/api/triggers', { params: { query }, signal }));
    items.push(...found.items);
    cursor = found.nextCursor;
    if (cursor === undefined || items.length >= FOUND_MAX) break;
  }
  return { items: items.slice(0, FOUND_MAX), isCut: cursor !== undefined && items.length < FOUND_MAX };
}

export const findTriggersQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['triggers', undefined, 'find', keyword],
    queryFn: ({ signal }) => findTriggers(keyword, signal),
  });

export const findModelsQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['models', undefined, 'find'],
    queryFn: ({ signal }) => ok(api.GET('/api/model', { signal })),
    select: (models) => models.filter(({ modelName }) => has(modelName, keyword)).slice(0, FOUND_MAX),
  });

export const isEntityId = (keyword: string) => UUID.test(keyword);

/** Whether an id can begin so. With fewer letters nearly every word of them would be one. */
export const beginsEntityId = (keyword: string) => ID_BEGINNING.test(keyword);

interface FoundEntities {
  readonly items: readonly Schemas['Entity'][];
  /** There are more entities than were looked at. */
  readonly isCut: boolean;
}

/** The engine looks at the newest entities of each model; older ones are found on the page of their model. */
async function findEntities(beginning: string, signal: AbortSignal): Promise<FoundEntities> {
  const models = await ok(api.GET('/api/model', { signal }));
  const value = beginning.toLowerCase();
  const pages = await Promise.all(
    models.slice(0, MODELS_MAX).map(({ modelName, modelVersion }) =>
      ok(
        api.POST('/api/search/page/{name}/{version}', {
          params: {
            path: { name: modelName, version: String(modelVersion) },
            query: { pageSize: FOUND_MAX },
          },
          body: { type: 'lifecycle', field: 'id', operatorType: 'STARTS_WITH', value },
          signal,
        }),
      ),
    ),
  );
  const items = pages.flatMap((page) => page.items);
  const isCut = models.length > MODELS_MAX || pages.some(({ nextCursor }) => nextCursor !== undefined);
  return { items: items.slice(0, FOUND_MAX), isCut: isCut && items.length < FOUND_MAX };
}

export const findEntitiesQuery = (beginning: string) =>
  queryOptions({
    queryKey: ['entities', undefined, 'find', beginning],
    queryFn: ({ signal }) => findEntities(beginning, signal),
  });
