/* ui/use-shown-rows.ts — how many rows of a list are in the page: first those that the window has room for, the others when the browser has
 * nothing else to do. Somebody who opens a list waits for the visible rows only. */
import { startTransition, useEffect, useState } from 'react';

const ROW_PX = 32;
/** A page has a bar and a title above its list, and the list its heads. */
const ABOVE_PX = 128;
/** The others come in steps: each is done between two frames. */
const STEP = 8;
/** A step comes after this time even if the browser is busy. */
const STEP_MS = 500;
/** Where the browser cannot say that it is idle. */
const PAUSE_MS = 50;

function whenIdle(act: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const id = requestIdleCallback(act, { timeout: STEP_MS });
    return () => cancelIdleCallback(id);
  }
  const id = setTimeout(act, PAUSE_MS);
  return () => clearTimeout(id);
}

interface Shown {
  readonly key: string;
  readonly count: number;
}

/** `listKey` says which list it is: the rows of another one begin anew, while a list that changes keeps all that it has shown. */
export function useShownRows(count: number, listKey: string): number {
  const seen = Math.ceil(Math.max(0, window.innerHeight - ABOVE_PX) / ROW_PX);
  const [kept, setKept] = useState<Shown>({ key: listKey, count: seen });
  const shown = kept.key === listKey ? Math.max(kept.count, seen) : seen;
  const isWhole = shown >= count;
  useEffect(() => {
    if (isWhole) return undefined;
    // A list that was whole stays so, whatever comes to it.
    const next = shown + STEP < count ? shown + STEP : Infinity;
    return whenIdle(() => startTransition(() => setKept({ key: listKey, count: next })));
  }, [isWhole, shown, count, listKey]);
  return Math.min(shown, count);
}
