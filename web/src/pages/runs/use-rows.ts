/* pages/runs/use-rows.ts — the rows that the reader sees: those of the list when it was opened, until they ask for the new ones. */
import { useMemo, useState } from 'react';

import type { RunItem, RunPage } from '../../api/instances';
import { arrange, type Arranged } from './arrange';

export interface Rows extends Arranged<RunItem> {
  /** The question that was asked when the engine answered with these rows. */
  readonly key: string;
  /** Shows the list as it is now. */
  readonly showFresh: () => void;
}

interface Kept {
  readonly key: string | null;
  readonly shown: readonly RunItem[];
}

/** `key` is what was asked for: another question is another list. `page` is undefined until the engine has answered this one;
 * meanwhile the rows of the last one stay. */
export function useRows(key: string, page: RunPage | undefined): Rows {
  const [kept, setKept] = useState<Kept>({ key: null, shown: [] });
  const found = page?.items ?? kept.shown;
  // An empty list has no reader whom a first row could disturb.
  const isOpened = page !== undefined && (kept.key !== key || (kept.shown.length === 0 && found.length > 0));
  if (isOpened) setKept({ key, shown: found });
  const shown = isOpened ? found : kept.shown;
  const shownKey = isOpened ? key : (kept.key ?? key);
  const hasMore = page?.nextCursor !== undefined;
  return useMemo(
    () => ({
      ...arrange(shown, found, hasMore),
      key: shownKey,
      showFresh: () => setKept({ key: shownKey, shown: found }),
    }),
    [shown, found, hasMore, shownKey],
  );
}
