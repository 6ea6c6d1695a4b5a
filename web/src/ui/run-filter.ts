/* ui/run-filter.ts — which runs a list shows: in the address, in requests, in words. Pages build links with printFilter(). */
import { t } from '../texts/ui';
import { isStatus, listWords, lookOf, type Status } from './words';

export const STARTED = ['1h', '24h', '7d', '30d'] as const;
export type Started = (typeof STARTED)[number];
export const WAITING_FOR = ['person', 'job', 'timer', 'event', 'signal', 'child'] as const;

const STARTED_WORDS: { readonly [K in Started]: string } = {
  '1h': t.inTheLastHour,
  '24h': t.inTheLast24Hours,
  '7d': t.inTheLast7Days,
  '30d': t.inTheLast30Days,
};
const STARTED_MS: { readonly [K in Started]: number } = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
};

/** Filters that are one text each, and the words of their chips. */
export const TEXT_FILTERS = {
  keyword: t.keyOrIdBeginsWith,
  definitionId: t.flowIs,
  version: t.versionIs,
  businessKey: t.keyIs,
  reason: t.failedBecause,
  reasonContains: t.failedBecauseOfSomethingWith,
  failedAt: t.failedAtStep,
  waitingAt: t.standsAtStep,
  waitingFor: t.waitsFor,
} as const;
export type TextFilter = keyof typeof TEXT_FILTERS;
export const TEXT_NAMES = Object.keys(TEXT_FILTERS) as TextFilter[];

export type RunFilter = { readonly status: readonly Status[]; readonly started: Started | null } & {
  readonly [K in TextFilter]: string;
};

export const NO_FILTER: RunFilter = {
  status: [],
  started: null,
  keyword: '',
  definitionId: '',
  version: '',
  businessKey: '',
  reason: '',
  reasonContains: '',
  failedAt: '',
  waitingAt: '',
  waitingFor: '',
};

/** Reads an address; what it does not know, it leaves out. */
export function parseFilter(params: URLSearchParams): RunFilter {
  const status = [...new Set((params.get('status') ?? '').split(',').filter(isStatus))];
  const started = STARTED.find((each) => each === params.get('started')) ?? null;
  const texts = Object.fromEntries(TEXT_NAMES.map((name) => [name, params.get(name) ?? '']));
  const version = /^[1-9]\d{0,8}$/.test(texts['version'] ?? '') ? (texts['version'] ?? '') : '';
  return { ...NO_FILTER, ...texts, version, status, started };
}

/** The address of a filter, without what is as it always is. */
export function printFilter(filter: Partial<RunFilter>): string {
  const params = new URLSearchParams();
  if (filter.status !== undefined && filter.status.length > 0) params.set('status', filter.status.join(','));
  if (filter.started !== undefined && filter.started !== null) params.set('started', filter.started);
  for (const name of TEXT_NAMES) {
    const value = filter[name];
    if (value !== undefined && value !== '') params.set(name, value);
  }
  return params.toString();
}

/** The earliest start that the filter lets through, by the minute so that the question stays the same for a while. */
export function startedAfter(filter: RunFilter, now: number): string | undefined {
  if (filter.started === null) return undefined;
  return new Date(Math.floor((now - STARTED_MS[filter.started]) / 60_000) * 60_000).toISOString();
}

export interface FilterChip {
  readonly name: keyof RunFilter;
  readonly label: string;
  readonly value: string;
}

/** The filters, as chips: "Status is" "Failed or Running". */
export function chipsOf(filter: RunFilter): FilterChip[] {
  const chips: FilterChip[] = [];
  if (filter.status.length > 0)
    chips.push({
      name: 'status',
      label: t.statusIs,
      value: listWords(
        filter.status.map((status) => lookOf(status).word),
        'or',
      ),
    });
  if (filter.started !== null)
    chips.push({ name: 'started', label: t.started, value: STARTED_WORDS[filter.started] });
  for (const name of TEXT_NAMES)
    if (filter[name] !== '') chips.push({ name, label: TEXT_FILTERS[name], value: filter[name] });
  return chips;
}

export function without(filter: RunFilter, name: keyof RunFilter): RunFilter {
  return { ...filter, [name]: NO_FILTER[name] };
}

export const startedWord = (started: Started) => STARTED_WORDS[started];
