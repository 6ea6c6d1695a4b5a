/* app/route-page.tsx — the page of an address as soon as its code is there; then the code of other pages, while nothing else is to do. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';

import type { PageCode } from './page-code';
import { loadAhead } from './load-ahead';

export function RoutePage({ code }: { readonly code: PageCode }) {
  // At once, and again by "Try again": what is mounted anew asks anew.
  useState(code.load);
  const state = useSyncExternalStore(code.subscribe, code.read);
  const isHere = state.kind === 'here';
  const queries = useQueryClient();
  useEffect(() => (isHere ? loadAhead(() => queries.isFetching() > 0) : undefined), [isHere, queries]);
  if (state.kind === 'lost') throw state.thrown;
  return isHere ? <state.page /> : null;
}
