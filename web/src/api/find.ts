/* api/find.ts — what a few letters can mean: flows, runs, people's tasks, entities, triggers. Each is asked for a handful. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';

type Trigger = Schemas['Trigger'];

const FOUND_MAX = 5;
const LOOKED_MAX = 200;
const PAGES_MAX = 10;
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

/** An entity is known by its whole id only. */
export const isEntityId = (keyword: string) => UUID.test(keyword);
