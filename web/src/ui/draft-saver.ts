/* ui/draft-saver.ts — saves a draft a moment after each change, over the version that was read. It lives outside of React, so a
 * view that crashes loses no edit.
 *
 *     dirty ──(0.7 s)──► saving ──► saved
 *       ▲                  ├─ engine away ──► away: edits stay here, saving is tried again
 *       └──── edits ───────┴─ 412 ──► conflict: both versions, a person chooses
 */
import { type Draft, getDraft, putDraft, revisionOf } from '../api/drafts';
import { asProblem } from '../api/problem';
import type { Json } from '../flow/json';
import { locale } from '../texts/language';
import { t } from '../texts/ui';
import { announce } from './announce';

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

const CLOCK = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });

/** Whether it is saved, in words. */
export function saySave(save: SaveState): string {
  switch (save.kind) {
    case 'saved':
      return save.at === null ? t.nothingChangedYet : t.saved(CLOCK.format(new Date(save.at)));
    case 'dirty':
    case 'saving':
      return t.saving;
    case 'away':
      return t.notSavedTheEngine;
    case 'refused':
      return t.notSaved;
    case 'conflict':
      return t.notSavedSomebodyElse;
  }
}

export interface SaverOptions {
  readonly id: string;
  readonly draft: Draft;
  /** The document as it is now. A document is a value: the same object is the same document. */
  readonly document: () => Json;
  readonly onState: (state: SaveState) => void;
}

export interface Saver {
  readonly state: () => SaveState;
  /** The revision that the engine has, as far as this page knows. */
  readonly etag: () => string | null;
  /** The document has changed. */
  readonly edited: () => void;
  readonly saveNow: () => Promise<void>;
  /** The person keeps the own version: it is saved over the other one. */
  readonly keepMine: () => void;
  /** `document` is what the other one made of it. */
  readonly takeTheirs: (document: Json) => void;
  /** Somebody else has saved, and nothing of one's own is lost by taking it. */
  readonly canFollow: (newer: Draft) => boolean;
  readonly follow: (newer: Draft, document: Json) => void;
}

export function createSaver({ id, draft, document, onState }: SaverOptions): Saver {
  let etag = draft.etag;
  let saved = document();
  let state: SaveState = { kind: 'saved', at: draft.savedAt };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = RETRY_FIRST_MS;
  let saving: Promise<void> | null = null;

  const set = (next: SaveState) => {
    state = next;
    onState(next);
  };

  const schedule = (afterMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void saveNow(), afterMs);
  };

  const failed = async (thrown: unknown) => {
    const problem = asProblem(thrown);
    if (problem.status === 412) {
      try {
        set({ kind: 'conflict', theirs: await getDraft(id) });
        announce(t.somebodyElseChanged);
        return;
      } catch {
        // Their version cannot be read now: try the whole thing again.
      }
    } else if (!problem.isAway && problem.status !== 401 && problem.status !== 429) {
      set({ kind: 'refused', why: problem.message });
      return;
    }
    if (state.kind !== 'away') announce(t.theEngineIsAwayYour);
    set({ kind: 'away' });
    schedule(retryMs);
    retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
  };

  const saveOnce = async () => {
    const now = document();
    set({ kind: 'saving' });
    try {
      const result = await putDraft(id, now, etag);
      etag = result.etag;
      saved = now;
      retryMs = RETRY_FIRST_MS;
      set({ kind: 'saved', at: result.savedAt });
      if (document() !== now) {
        set({ kind: 'dirty' });
        schedule(SAVE_AFTER_MS);
      }
    } catch (thrown) {
      await failed(thrown);
    }
  };

  const saveNow = async (): Promise<void> => {
    clearTimeout(timer);
    if (saving !== null) await saving;
    if (document() === saved || state.kind === 'conflict') return;
    saving = saveOnce();
    await saving;
    saving = null;
  };

  return {
    state: () => state,
    etag: () => etag,
    edited: () => {
      if (state.kind === 'conflict') return;
      set({ kind: 'dirty' });
      schedule(SAVE_AFTER_MS);
    },
    saveNow,
    keepMine: () => {
      if (state.kind !== 'conflict') return;
      etag = state.theirs.etag;
      set({ kind: 'dirty' });
      schedule(0);
    },
    canFollow: (newer) =>
      state.kind === 'saved' && document() === saved && revisionOf(newer.etag) > revisionOf(etag),
    follow: (newer, taken) => {
      etag = newer.etag;
      saved = taken;
      set({ kind: 'saved', at: newer.savedAt });
    },
    takeTheirs: (taken) => {
      if (state.kind !== 'conflict') return;
      etag = state.theirs.etag;
      saved = taken;
      set({ kind: 'saved', at: state.theirs.savedAt });
    },
  };
}
