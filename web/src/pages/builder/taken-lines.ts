/* pages/builder/taken-lines.ts — the lines that a test took. The engine says from which step to which it went and how; where several lines join the same
 * two steps, only those are marked that it went by: a deadline, an error, or the answer that somebody gave. */
import { type Flow, type FlowLine, type LineKey, linesOf, type NodeId } from '../../flow/flow';
import { type Json, isObject } from '../../flow/json';
import { isErrorPort } from '../../flow/roles';
import { isTimerPort } from '../../flow/steps/read';

/** How a step was left: 'timer', 'error', or the answer or way that its output names; empty: nobody knows. */
export function wayOf(how: string, out: Json | undefined): string {
  if (how === 'late') return 'timer';
  if (how === 'failed') return 'error';
  if (!isObject(out)) return '';
  const way = out['decision'] ?? out['taken'];
  return typeof way === 'string' ? `by ${way}` : '';
}

export const takenPair = (from: NodeId, to: NodeId): string => `${from}\n${to}`;
export const takenWay = (from: NodeId, to: NodeId, way: string): string => `${from}\n${to}\n${way}`;

function isBy({ port, key }: FlowLine, way: string): boolean {
  if (way === 'timer') return isTimerPort(port);
  if (way === 'error') return isErrorPort(port);
  if (isTimerPort(port) || isErrorPort(port)) return false;
  return way === '' || way === `by ${port}` || way === `by ${key}`;
}

export function takenLines(flow: Flow, taken: ReadonlySet<string>): ReadonlySet<LineKey> {
  const pairs = new Map<string, FlowLine[]>();
  for (const line of linesOf(flow)) {
    const pair = takenPair(line.from, line.to);
    if (taken.has(pair)) pairs.set(pair, [...(pairs.get(pair) ?? []), line]);
  }
  const found = new Set<LineKey>();
  for (const [pair, lines] of pairs) {
    const ways = [...taken].flatMap((each) =>
      each.startsWith(`${pair}\n`) ? [each.slice(pair.length + 1)] : [],
    );
    const by = lines.filter((line) => ways.some((way) => isBy(line, way)));
    for (const { key } of lines.length === 1 || by.length === 0 ? lines : by) found.add(key);
  }
  return found;
}
