/* api/entities.ts — models and their entities. Keys are [kind, id, part]; the id of a model is `name/version`, as events have it. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api, authorizedFetch, ok, type Schemas } from './client';
import { problemOf } from './problem';
import { actorHeader } from './who';

export type EntityModel = Schemas['EntityModel'];
export type Entity = Schemas['Entity'];
export type EntityChange = Schemas['EntityChange'];
export type EntityAuditEvent = Schemas['EntityAuditEvent'];

/** A condition of the engine's search. */
export type Condition =
  | {
      readonly type: 'simple';
      readonly jsonPath: string;
      readonly operatorType: string;
      readonly value: unknown;
    }
  | {
      readonly type: 'lifecycle';
      readonly field: string;
      readonly operatorType: string;
      readonly value: string;
    }
  | { readonly type: 'group'; readonly operator: 'AND'; readonly conditions: readonly Condition[] };

const PAGE = 50;
const AUDIT_PAGE = 50;
const DEFINITIONS_MAX = 100;

export const definitionIdOf = (name: string, version: number) => `${name}.${version}`;

export const modelsQuery = () =>
  queryOptions({
    queryKey: ['models', null, 'list'],
    queryFn: ({ signal }) => ok(api.GET('/api/model', { signal })),
  });

/** How many entities there are, by model and state. */
export const stateCountsQuery = () =>
  queryOptions({
    queryKey: ['entities', null, 'states'],
    queryFn: ({ signal }) => ok(api.GET('/api/entity/stats/states', { signal })),
  });

/** The newest versions of the models' workflows. A model that nobody gave workflows has none. */
export const modelDefinitionsQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['definitions', null, 'models', keyword],
    queryFn: async ({ signal }) => {
      const page = await ok(
        api.GET('/api/definitions', {
          params: { query: { dialect: 'entity', pageSize: DEFINITIONS_MAX, keyword } },
          signal,
        }),
      );
      return new Map(page.items.map(({ definitionId, version }) => [definitionId, version]));
    },
  });

export const modelSchemaQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['models', `${name}/${version}`, 'schema'],
    queryFn: async ({ signal }): Promise<unknown> => {
      const { model } = await ok(
        api.GET('/api/model/export/{view}/{name}/{version}', {
          params: { path: { view: 'JSON_SCHEMA', name, version: String(version) } },
          signal,
        }),
      );
      return model;
    },
  });

/** Entities for which the condition holds, newest first. */
export const entitiesQuery = (name: string, version: number, condition: Condition | null, cursor: string) =>
  queryOptions({
    queryKey: ['entities', null, 'page', name, version, condition, cursor],
    queryFn: ({ signal }) =>
      ok(
        api.POST('/api/search/page/{name}/{version}', {
          params: {
            path: { name, version: String(version) },
            query: { pageSize: PAGE, ...(cursor === '' ? {} : { cursor }) },
          },
          ...(condition === null ? {} : { body: condition }),
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const entityQuery = (id: string) =>
  queryOptions({
    queryKey: ['entities', id, 'now'],
    queryFn: ({ signal }) => ok(api.GET('/api/entity/{id}', { params: { path: { id } }, signal })),
  });

/** The entity as it was after a transaction. The past does not change. */
export const entityAtQuery = (id: string, transactionId: string) =>
  queryOptions({
    queryKey: ['entities', id, 'at', transactionId],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      ok(api.GET('/api/entity/{id}', { params: { path: { id }, query: { transactionId } }, signal })),
    placeholderData: keepPreviousData,
  });

/** The changes of a transaction: members that are not the same, before and after. */
export const entityDiffQuery = (id: string, transactionId: string) =>
  queryOptions({
    queryKey: ['entities', id, 'diff', transactionId],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const { items } = await ok(
        api.GET('/api/audit/entity/{id}', {
          params: { path: { id }, query: { transactionId, eventType: 'EntityChange', limit: '1' } },
          signal,
        }),
      );
      const item = items[0];
      return (item?.auditEventType === 'EntityChange' ? item.changes : undefined) ?? null;
    },
    placeholderData: keepPreviousData,
  });

export const transitionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['entities', id, 'transitions'],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/entity/{id}/transitions', { params: { path: { id } }, signal })),
  });

export const changesQuery = (id: string) =>
  queryOptions({
    queryKey: ['entities', id, 'changes'],
    queryFn: ({ signal }) => ok(api.GET('/api/entity/{id}/changes', { params: { path: { id } }, signal })),
  });

export const auditQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['entities', id, 'audit'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET('/api/audit/entity/{id}', {
          params: {
            path: { id },
            query: { limit: String(AUDIT_PAGE), ...(pageParam === '' ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
  });

/** The person who writes, and the key that makes a second sending do nothing. */
export interface Sender {
  readonly key: string;
  /** Empty: nobody who said so. */
  readonly actor: string;
}

const headersOf = ({ key, actor }: Sender) => ({
  'Idempotency-Key': key,
  ...actorHeader(actor),
});

/** Creates an entity; returns its id. */
export async function createEntity(
  model: { readonly name: string; readonly version: number },
  data: unknown,
  sender: Sender,
): Promise<string> {
  const chunks = await ok(
    api.POST('/api/entity/{format}/{name}/{version}', {
      params: { path: { format: 'JSON', name: model.name, version: String(model.version) } },
      headers: headersOf(sender),
      body: data,
    }),
  );
  return chunks[0]?.entityIds[0] ?? '';
}

/** Changes members of the document, and fires the transition, if one is named. Only if the entity is as `transactionId` left it. */
export async function patchEntity(
  id: string,
  change: { readonly transition: string; readonly patch: unknown; readonly transactionId: string },
  sender: Sender,
): Promise<void> {
  const way = change.transition === '' ? '' : `/${encodeURIComponent(change.transition)}`;
  const response = await authorizedFetch(`/api/entity/JSON/${encodeURIComponent(id)}${way}`, {
    method: 'PATCH',
    headers: {
      'Content-Type': 'application/merge-patch+json',
      'If-Match': change.transactionId,
      ...headersOf(sender),
    },
    body: JSON.stringify(change.patch),
  });
  if (!response.ok) throw problemOf(response.status, await response.json().catch(() => null));
}
