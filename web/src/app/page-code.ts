/* app/page-code.ts — the code of a page: files of its own, which come when the page is first shown, or before, when there is time.
 *
 * Not React's lazy(): once it has shown that a page is on its way, it does so for 300 ms at least, however soon the code is there. */
import type { ComponentType } from 'react';

import { loadTexts } from '../texts/language';
import type { Area } from '../texts/shape';

type Listener = () => void;

export type CodeState =
  | { readonly kind: 'wanted' }
  | { readonly kind: 'coming' }
  | { readonly kind: 'here'; readonly page: ComponentType }
  | { readonly kind: 'lost'; readonly thrown: Error };

export interface PageCode {
  readonly read: () => CodeState;
  /** Asks for the code, unless it is here or on its way. */
  readonly load: () => void;
  /** As load(), for a page that nobody waits for; returns when the code is here or lost. */
  readonly loadAhead: () => Promise<void>;
  readonly subscribe: (listener: Listener) => () => void;
}

let aheadCount = 0;

/** Code is on its way that nobody waits for: nobody need hear of its loss. */
export const isLoadingAhead = () => aheadCount > 0;

export function pageCode(areas: readonly Area[], fetchPage: () => Promise<ComponentType>): PageCode {
  let state: CodeState = { kind: 'wanted' };
  const listeners = new Set<Listener>();
  const become = (next: CodeState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const fetchOnce = async () => {
    if (state.kind === 'coming' || state.kind === 'here') return;
    // Nobody has to be told: who asks knows it.
    state = { kind: 'coming' };
    try {
      await loadTexts(areas);
      become({ kind: 'here', page: await fetchPage() });
    } catch (thrown) {
      become({ kind: 'lost', thrown: thrown instanceof Error ? thrown : new Error(String(thrown)) });
    }
  };
  return {
    read: () => state,
    load: () => void fetchOnce(),
    loadAhead: async () => {
      aheadCount++;
      await fetchOnce();
      aheadCount--;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
