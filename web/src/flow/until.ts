/* flow/until.ts — when a For each stops early, as people say it: "when 2 of them said yes". The document has a condition, which reads
 * nothing but what the engine gives it: `loop.count`, `succeeded`, `failed`, `results`. */
import { t } from '../texts/flow';
import { answersOf } from './answers';
import type { DataItem } from './data';
import { childrenOf, type Flow, type FlowNode } from './flow';
import { isObject, type Json, textOf } from './json';

export type Until =
  | { readonly kind: 'never' }
  | { readonly kind: 'said'; readonly count: number; readonly answer: string }
  | { readonly kind: 'succeeded' | 'failed'; readonly count: number }
  | { readonly kind: 'other' };

const SAID = /^count\(loop\.results, #(\?\.decision)? == ("(?:[^"\\]|\\.)*")\) >= (\d{1,6})$/;
const DONE = /^\{\{\s*loop\.(succeeded|failed)\s*\}\}$/;

function readText(text: string): string | null {
  try {
    return textOf(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}

export function readUntil(until: Json | undefined): Until {
  if (until === undefined || until === null) return { kind: 'never' };
  if (typeof until === 'string') {
    const [, , quoted = '', count = ''] = SAID.exec(until) ?? [];
    const answer = quoted === '' ? null : readText(quoted);
    return answer === null ? { kind: 'other' } : { kind: 'said', count: Number(count), answer };
  }
  if (!isObject(until) || Object.keys(until).length !== 3) return { kind: 'other' };
  const { left, op, right } = until;
  const word = typeof left === 'string' ? DONE.exec(left)?.[1] : undefined;
  if (op !== 'gte' || typeof right !== 'number' || (word !== 'succeeded' && word !== 'failed'))
    return { kind: 'other' };
  return { kind: word, count: right };
}

/** `loop`: its `result` says whether results are answers, or what the person's step gave. */
export function printUntil(until: Exclude<Until, { kind: 'other' }>, loop: FlowNode): Json | undefined {
  switch (until.kind) {
    case 'never':
      return undefined;
    case 'said': {
      const member = loop.config['result'] === undefined ? '?.decision' : '';
      return `count(loop.results, #${member} == ${JSON.stringify(until.answer)}) >= ${until.count}`;
    }
    case 'succeeded':
    case 'failed':
      return { left: `{{ loop.${until.kind} }}`, op: 'gte', right: until.count };
  }
}

/** The answers that people inside of the loop can give; none if nobody is asked. */
export const answersInside = (flow: Flow, loop: FlowNode): readonly string[] => [
  ...new Set(childrenOf(flow, loop.id).flatMap((node) => answersOf(node))),
];

const item = (name: string, label: string, type: string): DataItem => ({
  path: ['loop', name],
  label,
  type,
  node: null,
  nodeType: 'for_each',
  choices: [],
});

/** All that a condition of a loop can ask. */
export const LOOP_ITEMS: readonly DataItem[] = [
  item('succeeded', t.howManyWentWell, 'number'),
  item('failed', t.howManyFailed, 'number'),
  item('count', t.howManyThere, 'number'),
  item('results', t.whatTheyGave, t.list),
];
