/* flow/history.ts — undo and redo. A step keeps the old document, not an inverse: documents share what did not change, so it
 * costs little and cannot be wrong.
 *
 *     past ◄── now ──► future        commit: now goes to the past, the future is forgotten
 */
import { applyCommand, type Command, refusal, sayCommand, selectAfter, type Selection } from './command';
import { type Flow, highestId } from './flow';

export const UNDO_MAX = 200;

export interface Entry {
  readonly flow: Flow;
  readonly selection: Selection;
  /** The change that led here, for the undo menu and the announcer. */
  readonly says: string;
}

export interface History {
  readonly past: readonly Entry[];
  readonly now: Entry;
  readonly future: readonly Entry[];
  /** Ids of new steps go on behind this, also when steps have gone. */
  readonly highest: number;
  /** Commits with the same key become one step: the letters typed into one field. */
  readonly mergeKey: string | null;
}

export function open(flow: Flow): History {
  const now: Entry = { flow, selection: { kind: 'none' }, says: '' };
  return { past: [], now, future: [], highest: highestId(flow), mergeKey: null };
}

/** A command that is refused changes nothing. */
export function commit(history: History, command: Command, mergeKey: string | null = null): History {
  const { now, highest } = history;
  if (refusal(now.flow, command) !== null) return history;
  const flow = applyCommand(now.flow, command, highest);
  if (flow === now.flow) return history;
  const isMerged = mergeKey !== null && mergeKey === history.mergeKey && history.past.length > 0;
  return {
    past: isMerged ? history.past : [...history.past, now].slice(-UNDO_MAX),
    now: {
      flow,
      selection: selectAfter(now.flow, flow, command, now.selection),
      says: sayCommand(now.flow, command),
    },
    future: [],
    highest: Math.max(highest, highestId(flow)),
    mergeKey,
  };
}

export function undo(history: History): History {
  const entry = history.past.at(-1);
  if (entry === undefined) return history;
  return {
    ...history,
    past: history.past.slice(0, -1),
    now: entry,
    future: [history.now, ...history.future],
    mergeKey: null,
  };
}

export function redo(history: History): History {
  const [entry, ...rest] = history.future;
  if (entry === undefined) return history;
  return { ...history, past: [...history.past, history.now], now: entry, future: rest, mergeKey: null };
}

export function select(history: History, selection: Selection): History {
  return { ...history, now: { ...history.now, selection }, mergeKey: null };
}
