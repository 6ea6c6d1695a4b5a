/* pages/builder/stores.ts — the stores of drafts that this page has opened. They outlive the views. */
import type { Draft } from '../../api/drafts';
import { printFlow } from '../../flow/flow';
import { isObject } from '../../flow/json';
import { t } from '../../texts/builder';
import { keptText } from './kept-text';
import { createStore, type Store } from './store';

const stores = new Map<string, { readonly draft: Draft; readonly store: Store }>();

/** The store of a draft; a new one when the draft was read anew and everything of the old one is saved. */
export function storeOf(id: string, draft: Draft): Store {
  const known = stores.get(id);
  if (known !== undefined && (known.draft === draft || known.store.get().save.kind !== 'saved'))
    return known.store;
  // A draft may be a text that is no object; it is shown as it is, and mended there.
  const { document } = draft;
  const text = typeof document === 'string' ? document : printFlow(document);
  const store = isObject(document)
    ? createStore(id, draft, document, keptText(id, draft.etag))
    : createStore(id, draft, {}, { text, why: t.aFlowIsAnObject });
  stores.set(id, { draft, store });
  return store;
}
