/* pages/builder/stores.ts — the stores of drafts that this page has opened. They outlive the views. */
import type { Draft } from '../../api/drafts';
import type { Flow } from '../../flow/flow';
import { createStore, type Store } from './store';

const stores = new Map<string, { readonly draft: Draft; readonly store: Store }>();

/** The store of a draft; a new one when the draft was read anew and everything of the old one is saved. */
export function storeOf(id: string, draft: Draft, flow: Flow): Store {
  const known = stores.get(id);
  if (known !== undefined && (known.draft === draft || known.store.get().save.kind !== 'saved'))
    return known.store;
  const store = createStore(id, draft, flow);
  stores.set(id, { draft, store });
  return store;
}
