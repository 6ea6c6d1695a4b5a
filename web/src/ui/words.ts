/* ui/words.ts — the screen's words for what the engine calls by names, and how numbers are written. */
import type { IconName } from './icon';

/** The six statuses of a run that a person tells apart: SHOW_STATUS_MAP of the engine (tests/docs/test_status_words.py). */
export const STATUSES = ['failed', 'person', 'waiting', 'running', 'completed', 'cancelled'] as const;
/** Of several steps where a run stands, the one that tells how: the ranks of SHOW_STATUS_MAP. */
export const TOLD_FIRST = ['failed', 'person', 'running', 'waiting'] as const satisfies readonly Status[];
export type Status = (typeof STATUSES)[number];

interface StatusLook {
  readonly word: string;
  readonly icon: IconName;
  /** The class of parts.css that has its colours. */
  readonly look: 'failed' | 'person' | 'waiting' | 'running' | 'done' | 'cancelled';
}

const LOOKS: { readonly [K in Status]: StatusLook } = {
  failed: { word: 'Failed', icon: 'failed', look: 'failed' },
  person: { word: 'Waits for a person', icon: 'person', look: 'person' },
  waiting: { word: 'Waits', icon: 'waiting', look: 'waiting' },
  running: { word: 'Running', icon: 'running', look: 'running' },
  completed: { word: 'Done', icon: 'done', look: 'done' },
  cancelled: { word: 'Cancelled', icon: 'cancelled', look: 'cancelled' },
};

export function isStatus(text: string): text is Status {
  return (STATUSES as readonly string[]).includes(text);
}

/** The look of a status; `done` is what the engine calls a visit that is over, an unknown word is shown as waiting. */
export function lookOf(status: string): StatusLook {
  if (status === 'done') return LOOKS.completed;
  return isStatus(status) ? LOOKS[status] : { ...LOOKS.waiting, word: status };
}

const NUMBERS = new Intl.NumberFormat('en-GB');

/** 1046 → "1,046". */
export function formatCount(count: number): string {
  return NUMBERS.format(count);
}

/** (1, 'run') → "1 run", (6, 'run') → "6 runs". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** ['a', 'b', 'c'] → "a, b and c". */
export function listWords(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1] ?? ''}`;
}

/** Whatever a value is, as one short line: texts without quotes, lists and objects by their size. */
export function shortValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return plural(value.length, 'entry', 'entries');
  return plural(Object.keys(value).length, 'field');
}

/** The dialects of definitions, in words. */
export function dialectWord(dialect: string): string {
  const words: Readonly<Record<string, string>> = {
    steps: 'Steps',
    serverless: 'Serverless Workflow',
    graph: 'Flow',
    entity: 'Entity workflow',
  };
  return words[dialect] ?? dialect;
}
