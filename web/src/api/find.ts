/* api/find.ts — what a few letters can mean: flows, runs, people's tasks, entities, triggers. Each is asked for a handful. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok } from './client';

const FOUND_MAX = 5;
/** Lists that cannot be searched by the engine are looked through so far. */
const LOOKED_MAX = 200;
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

export const findTriggersQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['triggers', undefined, 'find'],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/triggers', { params: { query: { pageSize: LOOKED_MAX } }, signal })),
    select: ({ items }) =>
      items
        .filter(({ trigger, address = '' }) => has(trigger, keyword) || has(address, keyword))
        .slice(0, FOUND_MAX),
  });

export const findModelsQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['models', undefined, 'find'],
    queryFn: ({ signal }) => ok(api.GET('/api/model', { signal })),
    select: (models) => models.filter(({ modelName }) => has(modelName, keyword)).slice(0, FOUND_MAX),
  });

/** An entity is known by its whole id only. */
export const isEntityId = (keyword: string) => UUID.test(keyword);
