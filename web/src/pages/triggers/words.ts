/* pages/triggers/words.ts — triggers and arrivals in words. */
import type { Arrival, TakenEvent, Trigger } from '../../api/triggers';
import { formAddress, tenantPrefix } from '../../ui/form-address';
import { t } from '../../texts/triggers';

interface OutcomeLook {
  readonly word: string;
  /** As a status: how much somebody should care. */
  readonly status: 'completed' | 'waiting' | 'failed' | 'cancelled';
}

const OUTCOMES: { readonly [K in Arrival['outcome']]: OutcomeLook } = {
  created: { word: t.startedARun, status: 'completed' },
  updated: { word: t.wentToARun, status: 'completed' },
  replaced: { word: t.replacedARun, status: 'completed' },
  queued: { word: t.waitsForRoom, status: 'waiting' },
  discarded: { word: t.notWanted, status: 'cancelled' },
  misfire_discarded: { word: t.missedWhileTheEngine, status: 'cancelled' },
  filtered: { word: t.leftOutByTheFilter, status: 'cancelled' },
  duplicate: { word: t.cameTwice, status: 'cancelled' },
  paused: { word: t.triggerWasPaused, status: 'cancelled' },
  expired: { word: t.waitedTooLong, status: 'failed' },
  no_route: { word: t.nobodyListensThere, status: 'failed' },
  decode_error: { word: t.couldNotBeRead, status: 'failed' },
  rejected_schema: { word: t.didNotFitTheForm, status: 'failed' },
  rejected_auth: { word: t.wrongKeyOrSignature, status: 'failed' },
  rejected_limit: { word: t.tooMany, status: 'failed' },
  refused: { word: t.refused, status: 'failed' },
};

export function outcomeLook(outcome: Arrival['outcome']): OutcomeLook {
  return OUTCOMES[outcome];
}

/** Why that became of an arrival, for who did not write the sender; `exactly` is for who did, null if it says no more. */
export function whyWords({ outcome, note = '' }: Pick<Arrival, 'outcome' | 'note'>): {
  readonly says: string;
  readonly exactly: string | null;
} {
  const exactly = note === '' ? null : note;
  if (outcome === 'decode_error')
    return {
      says: note.startsWith('it is not JSON') ? t.itIsNotWritten : t.itIsWritten,
      exactly,
    };
  if (outcome === 'rejected_schema') return { says: t.somethingIsMissing, exactly };
  return { says: note, exactly: null };
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

export const OUTCOME_NAMES = Object.keys(OUTCOMES) as Arrival['outcome'][];

/** The facts that a sender must know: the address of a form or of a web request, the topic of a message; null: nobody sends to it. */
export function addressOf(trigger: Trigger, origin: string, tenant = ''): string | null {
  if (trigger.type === 'manual') return formAddress(origin, tenant, trigger.definitionId, trigger.trigger);
  if (trigger.address === undefined) return null;
  const path = `/hooks${trigger.address.replace(/^\S+ /, '')}`;
  return trigger.type === 'http' ? origin + tenantPrefix(tenant) + path : trigger.address;
}

/* The engine's reasons name definitions and instances; here they are flows and runs. */
export const UNTAKEN: ReadonlyMap<string, string> = new Map([
  ['no instance waits for it, and none is started by it', t.noRunWaits],
  ['no definition takes events of this source and type', t.noFlowTakesEvents],
  ['it lacks the correlation value that its trigger asks for', t.itDoesNotSayWhich],
]);

/** Why nobody took an event. */
export function untakenWords(reason: string): string {
  return UNTAKEN.get(reason) ?? reason;
}

/** The outcome of an event that was sent by hand, for the first time or again. */
export function takenWords({ outcome, instanceCount, reason, message }: TakenEvent, isFirst = false): string {
  switch (outcome) {
    case 'started':
      return t.itStarted(t.nRuns(instanceCount));
    case 'delivered':
      return t.itWent(t.nRuns(instanceCount));
    case 'waiting':
      return t.itWaitsForARun;
    case 'unmatched':
      return t.nobodyTook(isFirst ? '' : t.again, untakenWords(reason ?? t.nobodyWaits));
    case 'duplicate':
      return t.itHadBeenTakenBefore;
    case 'refused':
      return t.itWasRefused(message ?? t.tryAgainLater);
  }
}

export const SHOWS = ['triggers', 'arrivals', 'unmatched'] as const;
export type Show = (typeof SHOWS)[number];

/** The view, as the address says it. */
export interface Place {
  readonly show: Show;
  readonly cursor: string;
  /** The trigger that is looked at, or whose arrivals are listed; both empty: none. */
  readonly flow: string;
  readonly trigger: string;
  /** Arrivals: only those of which this became; empty: all. */
  readonly outcome: string;
}

export const NOWHERE: Place = { show: 'triggers', cursor: '', flow: '', trigger: '', outcome: '' };
const TEXTS = ['cursor', 'flow', 'trigger', 'outcome'] as const;

export function parsePlace(search: string): Place {
  const params = new URLSearchParams(search);
  const outcome = OUTCOME_NAMES.find((one) => one === params.get('outcome')) ?? '';
  return {
    show: SHOWS.find((one) => one === params.get('show')) ?? 'triggers',
    cursor: params.get('cursor') ?? '',
    flow: params.get('flow') ?? '',
    trigger: params.get('trigger') ?? '',
    outcome,
  };
}

export function printPlace(place: Partial<Place>): string {
  const params = new URLSearchParams();
  if (place.show !== undefined && place.show !== 'triggers') params.set('show', place.show);
  for (const name of TEXTS) {
    const value = place[name];
    if (value !== undefined && value !== '') params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
