/* pages/triggers/words.ts — triggers and arrivals in words. */
import type { Arrival, Trigger } from '../../api/triggers';

const KINDS: { readonly [K in Trigger['type']]: string } = {
  manual: 'By hand',
  http: 'Web request',
  mqtt: 'MQTT message',
  cron: 'Schedule',
  poll: 'New data',
};

export function kindWord(type: Trigger['type']): string {
  return KINDS[type];
}

interface OutcomeLook {
  readonly word: string;
  /** As a status: how much somebody should care. */
  readonly status: 'completed' | 'waiting' | 'failed' | 'cancelled';
}

const OUTCOMES: { readonly [K in Arrival['outcome']]: OutcomeLook } = {
  created: { word: 'Started a run', status: 'completed' },
  updated: { word: 'Went to a run', status: 'completed' },
  replaced: { word: 'Replaced a run', status: 'completed' },
  queued: { word: 'Waits for room', status: 'waiting' },
  discarded: { word: 'Not wanted', status: 'cancelled' },
  filtered: { word: 'Left out by the filter', status: 'cancelled' },
  duplicate: { word: 'Came twice', status: 'cancelled' },
  paused: { word: 'Trigger was paused', status: 'cancelled' },
  expired: { word: 'Waited too long', status: 'failed' },
  no_route: { word: 'Nobody listens there', status: 'failed' },
  decode_error: { word: 'Could not be read', status: 'failed' },
  rejected_schema: { word: 'Did not fit the form', status: 'failed' },
  rejected_auth: { word: 'Wrong key or signature', status: 'failed' },
  rejected_limit: { word: 'Too many', status: 'failed' },
  refused: { word: 'Refused', status: 'failed' },
};

export function outcomeLook(outcome: Arrival['outcome']): OutcomeLook {
  return OUTCOMES[outcome];
}

/** All arrivals, and those that went wrong. */
export function countArrivals(counts: Trigger['counts']): { readonly all: number; readonly wrong: number } {
  let [all, wrong] = [0, 0];
  for (const [name, count] of Object.entries(counts)) {
    all += count;
    if (Object.hasOwn(OUTCOMES, name) && OUTCOMES[name as Arrival['outcome']].status === 'failed')
      wrong += count;
  }
  return { all, wrong };
}

export const SHOWS = ['triggers', 'arrivals', 'unmatched'] as const;
export type Show = (typeof SHOWS)[number];

export interface Place {
  readonly show: Show;
  readonly cursor: string;
}

export function parsePlace(search: string): Place {
  const params = new URLSearchParams(search);
  return {
    show: SHOWS.find((one) => one === params.get('show')) ?? 'triggers',
    cursor: params.get('cursor') ?? '',
  };
}

export function printPlace({ show, cursor }: Place): string {
  const params = new URLSearchParams();
  if (show !== 'triggers') params.set('show', show);
  if (cursor !== '') params.set('cursor', cursor);
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
