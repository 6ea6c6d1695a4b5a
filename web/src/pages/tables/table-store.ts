/* pages/tables/table-store.ts — the draft that a table belongs to: the document, undo and redo, and saving. Outside of React, one
 * per draft, so that no edit is lost with a view. */
import type { Draft } from '../../api/drafts';
import { isObject, type JsonObject } from '../../flow/json';
import { announce } from '../../ui/announce';
import { createSaver, type SaveState } from '../../ui/draft-saver';
import { t } from '../../texts/tables';

const UNDO_MAX = 200;

export interface TableState {
  readonly document: JsonObject;
  readonly past: readonly { readonly document: JsonObject; readonly says: string }[];
  readonly future: readonly { readonly document: JsonObject; readonly says: string }[];
  readonly save: SaveState;
  readonly version: number;
}

export interface TableStore {
  readonly id: string;
  readonly get: () => TableState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly edit: (next: JsonObject, says: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly saveNow: () => Promise<void>;
  readonly resolve: (choice: 'mine' | 'theirs') => void;
}

function createTableStore(id: string, draft: Draft, document: JsonObject): TableStore {
  let state: TableState = {
    document,
    past: [],
    future: [],
    save: { kind: 'saved', at: draft.savedAt },
    version: draft.version,
  };
  const listeners = new Set<() => void>();
  const set = (next: Partial<TableState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const saver = createSaver({
    id,
    draft,
    document: () => state.document,
    onState: (save) => set({ save }),
  });
  return {
    id,
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    edit: (next, says) => {
      if (next === state.document) return;
      const past = [...state.past, { document: state.document, says }].slice(-UNDO_MAX);
      set({ document: next, past, future: [] });
      announce(t.ctrlZTakesItBack(says));
      saver.edited();
    },
    undo: () => {
      const last = state.past[state.past.length - 1];
      if (last === undefined) return;
      set({
        document: last.document,
        past: state.past.slice(0, -1),
        future: [{ document: state.document, says: last.says }, ...state.future],
      });
      announce(t.takenBack(last.says));
      saver.edited();
    },
    redo: () => {
      const next = state.future[0];
      if (next === undefined) return;
      set({
        document: next.document,
        past: [...state.past, { document: state.document, says: next.says }],
        future: state.future.slice(1),
      });
      announce(t.doneAgain(next.says));
      saver.edited();
    },
    saveNow: saver.saveNow,
    resolve: (choice) => {
      if (state.save.kind !== 'conflict') return;
      const theirs = state.save.theirs.document;
      if (choice === 'mine' || !isObject(theirs)) {
        saver.keepMine();
        return;
      }
      set({
        document: theirs,
        past: [...state.past, { document: state.document, says: t.tookTheOtherVersion }],
        future: [],
      });
      saver.takeTheirs(theirs);
    },
  };
}

const stores = new Map<string, { readonly draft: Draft; readonly store: TableStore }>();

/** The store of a draft; a new one when the draft was read anew and everything of the old one is saved. */
export function tableStoreOf(id: string, draft: Draft, document: JsonObject): TableStore {
  const known = stores.get(id);
  if (known !== undefined && (known.draft === draft || known.store.get().save.kind !== 'saved'))
    return known.store;
  const store = createTableStore(id, draft, document);
  stores.set(id, { draft, store });
  return store;
}
