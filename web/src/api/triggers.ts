/* api/triggers.ts — triggers, what arrived at them, and events that nobody took. */
import { queryOptions } from '@tanstack/react-query';

import type { JsonObject } from '../flow/json';
import { t } from '../texts/ui';
import { api, authorizedFetch, done, ok, type Schemas } from './client';
import { Problem, problemOf } from './problem';
import type { operations } from './schema';
import { sayItems, sayLabelled } from './titled';

export type Trigger = Schemas['Trigger'];
export type Arrival = Schemas['Arrival'];

const PAGE_SIZE = 50;
/** A definition has few triggers. */
const OF_ONE_MAX = 200;
const pageOf = (cursor: string) => ({ pageSize: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) });

export const triggersQuery = (cursor: string) =>
  queryOptions({
    queryKey: ['triggers', undefined, cursor],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/triggers', { params: { query: pageOf(cursor) }, signal })).then(
        sayItems<Trigger>(sayLabelled),
      ),
  });

/** The triggers of one definition. */
export const definitionTriggersQuery = (definitionId: string) =>
  queryOptions({
    queryKey: ['triggers', definitionId, 'of one'],
    queryFn: ({ signal }) =>
      ok(
        api.GET('/api/triggers', { params: { query: { definitionId, pageSize: OF_ONE_MAX } }, signal }),
      ).then(sayItems<Trigger>(sayLabelled)),
  });

export type ArrivalsAsked = NonNullable<operations['listArrivals']['parameters']['query']>;

export const arrivalsQuery = (asked: ArrivalsAsked) =>
  queryOptions({
    queryKey: ['arrivals', undefined, asked],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/arrivals', { params: { query: { pageSize: PAGE_SIZE, ...asked } }, signal })),
  });

/** The members of a schedule's config that say when it fires: the engine refuses others. */
const TIMES = [
  'cronExpression',
  'cron',
  'timeZone',
  'timezone',
  'scheduleMode',
  'intervalValue',
  'intervalUnit',
];

/** The next ticks of a schedule that is not published. */
export const previewTicksQuery = (config: JsonObject) => {
  const body = Object.fromEntries(Object.entries(config).filter(([name]) => TIMES.includes(name)));
  return queryOptions({
    queryKey: ['ticks', 'preview', JSON.stringify(body)],
    queryFn: ({ signal }) => ok(api.POST('/api/ticks', { params: { query: { count: 10 } }, body, signal })),
    retry: false,
  });
};

/** The next ticks of a schedule. They move on by themselves, so the time of the next one is part of the question. */
export const ticksQuery = (trigger: Trigger, count: number) =>
  queryOptions({
    queryKey: ['ticks', trigger.definitionId, trigger.trigger, trigger.version, trigger.nextAt ?? '', count],
    queryFn: ({ signal }) =>
      ok(
        api.GET('/api/triggers/{definition}/{trigger}/ticks', {
          params: { ...pathOf(trigger), query: { count } },
          signal,
        }),
      ),
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

export type TakenEvent = Schemas['TakenEvent'];
export type WaitingEvent = NonNullable<
  operations['listUnmatchedEvents']['responses'][200]['content']['application/json']['waiting']
>[number];

/** Hands in a CloudEvent; what it did. */
export async function sendEvent(event: {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly data?: unknown;
}): Promise<TakenEvent> {
  const response = await authorizedFetch('/v1/events', {
    method: 'POST',
    headers: { 'Content-Type': 'application/cloudevents+json' },
    body: JSON.stringify({ specversion: '1.0', ...event }),
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw problemOf(response.status, body);
  const [only] = (body as { events?: TakenEvent[] }).events ?? [];
  if (only === undefined) throw problemOf(500, body);
  return only;
}

/** The effect of the event when it came again. */
export async function resendEvent(number: number, key: string): Promise<TakenEvent> {
  const { events } = await ok(
    api.POST('/v1/events/unmatched/{number}/resend', {
      params: { path: { number }, header: { 'Idempotency-Key': key } },
    }),
  );
  const [only] = events;
  if (only === undefined) throw new Problem(500, '', t.theEngineDidNotSay, null);
  return only;
}
