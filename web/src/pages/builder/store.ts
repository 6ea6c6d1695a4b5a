/* pages/builder/store.ts — one draft: its history, whether the text parses, whether it is saved. It lives outside of React, so a
 * view that crashes loses no edit.
 *
 *     dirty ──(0.7 s)──► saving ──► saved
 *       ▲                  ├─ engine away ──► away: edits stay here, saving is tried again
 *       └──── edits ───────┴─ 412 ──► conflict: both versions, a person chooses
 */
import { type Draft, getDraft, putDraft } from '../../api/drafts';
import { asProblem } from '../../api/problem';
import { type Command, refusal, type Selection } from '../../flow/command';
import { type Flow, openValue } from '../../flow/flow';
import { commit, type History, open, redo, select, undo } from '../../flow/history';
import type { Json } from '../../flow/json';
import { announce } from '../../ui/announce';

const SAVE_AFTER_MS = 700;
const RETRY_FIRST_MS = 2_000;
const RETRY_MAX_MS = 30_000;

export type SaveState =
  | { readonly kind: 'saved'; readonly at: string | null }
  | { readonly kind: 'dirty' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'away' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'conflict'; readonly theirs: Draft };

export interface BuilderState {
  readonly history: History;
  /** The text while it is no flow; the canvas takes no edits then. */
  readonly broken: { readonly text: string; readonly why: string } | null;
  readonly save: SaveState;
  readonly version: number;
}

export interface Store {
  readonly id: string;
  readonly get: () => BuilderState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Does a command and says so; a refusal is said, too. */
  readonly dispatch: (command: Command, mergeKey?: string) => boolean;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly select: (selection: Selection) => void;
  readonly setBroken: (broken: BuilderState['broken']) => void;
  readonly saveNow: () => Promise<void>;
  readonly resolve: (choice: 'mine' | 'theirs') => void;
  readonly published: (version: number) => void;
}

export function createStore(id: string, draft: Draft, flow: Flow): Store {
  let etag = draft.etag;
  let saved: Json = flow;
  let state: BuilderState = {
    history: open(flow),
    broken: null,
    save: { kind: 'saved', at: draft.savedAt },
    version: draft.version,
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = RETRY_FIRST_MS;
  let saving: Promise<void> | null = null;
  const listeners = new Set<() => void>();

  const set = (next: Partial<BuilderState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const schedule = (afterMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void saveNow(), afterMs);
  };

  const changed = (history: History) => {
    if (history === state.history) return;
    const isEdit = history.now.flow !== state.history.now.flow;
    const isBlocked = state.save.kind === 'conflict';
    set({ history, ...(isEdit && !isBlocked ? { save: { kind: 'dirty' } } : {}) });
    if (isEdit && !isBlocked) schedule(SAVE_AFTER_MS);
  };

  const failed = async (thrown: unknown) => {
    const problem = asProblem(thrown);
    if (problem.status === 412) {
      try {
        set({ save: { kind: 'conflict', theirs: await getDraft(id) } });
        announce('Somebody else changed this flow. Choose which version to keep.');
        return;
      } catch {
        // Their version cannot be read now: try the whole thing again.
      }
    } else if (!problem.isAway && problem.status !== 401 && problem.status !== 429) {
      set({ save: { kind: 'refused', why: problem.message } });
      return;
    }
    if (state.save.kind !== 'away') announce('The engine is away. Your changes are kept in this page.');
    set({ save: { kind: 'away' } });
    schedule(retryMs);
    retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
  };

  const saveOnce = async () => {
    const document = state.history.now.flow;
    set({ save: { kind: 'saving' } });
    try {
      const result = await putDraft(id, document, etag);
      etag = result.etag;
      saved = document;
      retryMs = RETRY_FIRST_MS;
      set({ save: { kind: 'saved', at: result.savedAt } });
      if (state.history.now.flow !== document) {
        set({ save: { kind: 'dirty' } });
        schedule(SAVE_AFTER_MS);
      }
    } catch (thrown) {
      await failed(thrown);
    }
  };

  const saveNow = async (): Promise<void> => {
    clearTimeout(timer);
    if (saving !== null) await saving;
    if (state.history.now.flow === saved || state.save.kind === 'conflict') return;
    saving = saveOnce();
    await saving;
    saving = null;
  };

  return {
    id,
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch: (command, mergeKey) => {
      const why =
        state.broken !== null && command.kind !== 'replaceDocument'
          ? 'The text has a mistake; mend it first'
          : null;
      const refused = why ?? refusal(state.history.now.flow, command);
      if (refused !== null) {
        announce(refused);
        return false;
      }
      const history = commit(state.history, command, mergeKey ?? null);
      if (mergeKey === undefined && history !== state.history)
        announce(`${history.now.says}. Ctrl Z takes it back.`);
      changed(history);
      return true;
    },
    undo: () => {
      const { says } = state.history.now;
      const history = undo(state.history);
      if (history !== state.history) announce(`Taken back: ${says}`);
      changed(history);
    },
    redo: () => {
      const history = redo(state.history);
      if (history !== state.history) announce(`Done again: ${history.now.says}`);
      changed(history);
    },
    select: (selection) => changed(select(state.history, selection)),
    setBroken: (broken) => {
      if (broken !== state.broken) set({ broken });
    },
    saveNow,
    resolve: (choice) => {
      if (state.save.kind !== 'conflict') return;
      const { theirs } = state.save;
      etag = theirs.etag;
      const opened = openValue(theirs.document);
      if (choice === 'theirs' && opened.kind === 'flow') {
        saved = opened.flow;
        const history = commit(state.history, {
          kind: 'replaceDocument',
          flow: opened.flow,
          says: 'Took the other version',
        });
        set({ history, save: { kind: 'saved', at: theirs.savedAt } });
        saved = history.now.flow;
        return;
      }
      set({ save: { kind: 'dirty' } });
      schedule(0);
    },
    published: (version) => set({ version }),
  };
}
