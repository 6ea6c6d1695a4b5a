/* ui/words.ts — the screen's words for what the engine calls by names, and how numbers are written. */
import { t } from '../texts/ui';
import type { IconName } from './icon';

export { formatCount, listWords } from '../texts/say';

/** The six statuses of a run that a person tells apart: SHOW_STATUS_MAP of the engine (tests/docs/test_status_words.py). */
export const STATUSES = ['failed', 'person', 'waiting', 'running', 'completed', 'cancelled'] as const;
/** Among several steps where a run stands, the one that tells how: the ranks of SHOW_STATUS_MAP. */
export const TOLD_FIRST = ['failed', 'person', 'running', 'waiting'] as const satisfies readonly Status[];
export type Status = (typeof STATUSES)[number];

interface StatusLook {
  readonly word: string;
  readonly icon: IconName;
  /** The class of parts.css that has its colours. */
  readonly look: 'failed' | 'person' | 'waiting' | 'running' | 'done' | 'cancelled';
}

const LOOKS: { readonly [K in Status]: StatusLook } = {
  failed: { word: t.statuses.failed, icon: 'failed', look: 'failed' },
  person: { word: t.statuses.person, icon: 'person', look: 'person' },
  waiting: { word: t.statuses.waiting, icon: 'waiting', look: 'waiting' },
  running: { word: t.statuses.running, icon: 'running', look: 'running' },
  completed: { word: t.statuses.completed, icon: 'done', look: 'done' },
  cancelled: { word: t.statuses.cancelled, icon: 'cancelled', look: 'cancelled' },
};

export function isStatus(text: string): text is Status {
  return (STATUSES as readonly string[]).includes(text);
}

/** The look of a status; `done` is what the engine calls a visit that is over, an unknown word is shown as waiting. */
export function lookOf(status: string): StatusLook {
  if (status === 'done') return LOOKS.completed;
  return isStatus(status) ? LOOKS[status] : { ...LOOKS.waiting, word: status };
}

/** Any value as one short line: texts without quotes, lists and objects by their size. */
export function shortValue(value: unknown): string {
  if (value === null || value === undefined) return t.nothing2;
  if (typeof value === 'string') return value === '' ? t.empty : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return t.nEntries(value.length);
  return t.nFields(Object.keys(value).length);
}

/** The dialects of definitions, in words. */
export function dialectWord(dialect: string): string {
  const words: Readonly<Record<string, string>> = {
    steps: t.steps,
    serverless: t.serverlessWorkflow,
    graph: t.flow,
    entity: t.entityWorkflow,
  };
  return words[dialect] ?? dialect;
}
