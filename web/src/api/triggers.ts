/* api/triggers.ts — triggers, what arrived at them, and events that nobody took. */
import { queryOptions } from '@tanstack/react-query';

import { api, done, ok, type Schemas } from './client';

export type Trigger = Schemas['Trigger'];
export type Arrival = Schemas['Arrival'];

const PAGE_SIZE = 50;
const pageOf = (cursor: string) => ({ pageSize: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) });

export const triggersQuery = (cursor: string) =>
  queryOptions({
    queryKey: ['triggers', undefined, cursor],
    queryFn: ({ signal }) => ok(api.GET('/api/triggers', { params: { query: pageOf(cursor) }, signal })),
  });

export const arrivalsQuery = (cursor: string) =>
  queryOptions({
    queryKey: ['arrivals', undefined, cursor],
    queryFn: ({ signal }) => ok(api.GET('/api/arrivals', { params: { query: pageOf(cursor) }, signal })),
  });

export const unmatchedQuery = (cursor: string) =>
  queryOptions({
    queryKey: ['arrivals', undefined, 'unmatched', cursor],
    queryFn: ({ signal }) =>
      ok(api.GET('/v1/events/unmatched', { params: { query: pageOf(cursor) }, signal })),
  });

/** The form that a start by hand fills in. */
export const startFormQuery = (id: string) =>
  queryOptions({
    queryKey: ['definitions', id, 'start form'],
    queryFn: ({ signal }) => ok(api.GET('/api/definitions/{id}', { params: { path: { id } }, signal })),
  });

const pathOf = ({ definitionId, trigger }: Trigger) => ({ path: { definition: definitionId, trigger } });

export const pauseTrigger = (trigger: Trigger) =>
  done(api.POST('/api/triggers/{definition}/{trigger}/pause', { params: pathOf(trigger), body: {} }));

export const resumeTrigger = (trigger: Trigger) =>
  done(api.POST('/api/triggers/{definition}/{trigger}/resume', { params: pathOf(trigger) }));

export const fireTrigger = (trigger: Trigger, payload: unknown) =>
  ok(api.POST('/api/triggers/{definition}/{trigger}/fire', { params: pathOf(trigger), body: payload }));

export const resendEvent = (number: number, key: string) =>
  done(
    api.POST('/v1/events/unmatched/{number}/resend', {
      params: { path: { number }, header: { 'Idempotency-Key': key } },
    }),
  );
