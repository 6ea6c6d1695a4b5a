/* pages/builder/store.ts — one draft: its history, whether the text parses, whether it is saved (ui/draft-saver.ts). It lives
 * outside of React, so a view that crashes loses no edit. */
import type { Draft } from '../../api/drafts';
import { type Command, refusal, type Selection } from '../../flow/command';
import { sayDifferences } from '../../flow/differences';
import { type Flow, openValue, printFlow } from '../../flow/flow';
import { commit, type History, open, redo, select, undo } from '../../flow/history';
import { isObject } from '../../flow/json';
import { announce } from '../../ui/announce';
import { createSaver, type SaveState } from '../../ui/draft-saver';
import { t } from '../../texts/builder';
import { keepText } from './kept-text';

export interface BuilderState {
  readonly history: History;
  /** The text while it is no flow; the canvas takes no edits then. */
  readonly broken: { readonly text: string; readonly why: string } | null;
  readonly save: SaveState;
  readonly version: number;
  /** Somebody else has changed the flow, and how. */
  readonly news: { readonly who: string; readonly words: readonly string[] } | null;
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
  /** The document as text, with its mistakes if it has any. */
  readonly text: () => string;
  readonly saveNow: () => Promise<void>;
  readonly resolve: (choice: 'mine' | 'theirs') => void;
  readonly published: (version: number) => void;
  /** Somebody else has saved: their version is taken, if nothing of one's own is lost by that. */
  readonly follow: (newer: Draft) => void;
  readonly forgetNews: () => void;
}

export function createStore(id: string, draft: Draft, flow: Flow, text: BuilderState['broken']): Store {
  let state: BuilderState = {
    history: open(flow),
    broken: text,
    save: { kind: 'saved', at: draft.savedAt },
    version: draft.version,
    news: null,
  };
  const listeners = new Set<() => void>();

  const set = (next: Partial<BuilderState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const isTextOnly = () => openValue(state.history.now.flow).kind === 'other';

  const saver = createSaver({
    id,
    draft,
    // A flow that only the text can change is kept with its mistakes; what the canvas shows stays good.
    document: () => (state.broken !== null && isTextOnly() ? state.broken.text : state.history.now.flow),
    onState: (save) => set({ save }),
  });

  const changed = (history: History) => {
    if (history === state.history) return;
    const isEdit = history.now.flow !== state.history.now.flow;
    set({ history });
    if (isEdit) saver.edited();
  };

  return {
    id,
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch: (command, mergeKey) => {
      const why = state.broken !== null && command.kind !== 'replaceDocument' ? t.theTextHasAMistake2 : null;
      const refused = why ?? refusal(state.history.now.flow, command);
      if (refused !== null) {
        announce(refused);
        return false;
      }
      const history = commit(state.history, command, mergeKey ?? null);
      if (mergeKey === undefined && history !== state.history) announce(t.ctrlZTakesItBack(history.now.says));
      changed(history);
      return true;
    },
    undo: () => {
      const { says } = state.history.now;
      const history = undo(state.history);
      if (history !== state.history) announce(t.takenBack(says));
      changed(history);
    },
    redo: () => {
      const history = redo(state.history);
      if (history !== state.history) announce(t.doneAgain(history.now.says));
      changed(history);
    },
    select: (selection) => changed(select(state.history, selection)),
    setBroken: (broken) => {
      if (broken?.text === state.broken?.text) return;
      set({ broken });
      keepText(id, broken, saver.etag());
      if (isTextOnly()) saver.edited();
    },
    text: () => state.broken?.text ?? printFlow(state.history.now.flow),
    saveNow: saver.saveNow,
    resolve: (choice) => {
      if (state.save.kind !== 'conflict') return;
      const { document } = state.save.theirs;
      const take: Command | null = isObject(document)
        ? { kind: 'replaceDocument', flow: document, says: t.tookTheOtherVersion }
        : null;
      if (choice === 'mine' || take === null || refusal(state.history.now.flow, take) !== null) {
        saver.keepMine();
        return;
      }
      set({ history: commit(state.history, take), broken: null });
      keepText(id, null, null);
      saver.takeTheirs(state.history.now.flow);
    },
    published: (version) => set({ version }),
    follow: (newer) => {
      const { document, author } = newer;
      if (state.broken !== null || !isObject(document) || !saver.canFollow(newer)) return;
      const take: Command = { kind: 'replaceDocument', flow: document, says: t.tookTheOtherVersion };
      if (refusal(state.history.now.flow, take) !== null) return;
      const words = sayDifferences(state.history.now.flow, document);
      set({
        history: commit(state.history, take),
        news: words.length === 0 ? state.news : { who: author, words },
      });
      saver.follow(newer, state.history.now.flow);
    },
    forgetNews: () => set({ news: null }),
  };
}
