/* ui/use-typed.ts — a text that somebody types in a dialog: Escape and a reload of the page do not lose it. It is there when the dialog is opened again,
 * until it has been sent. It is kept for this tab and for the person who typed it. */
import { useCallback } from 'react';

import { getPerson } from './person';
import { keep, useKept } from './use-kept';

export const typedKey = (place: string): string => `typed:${getPerson()?.name ?? ''}:${place}`;

interface Typed {
  readonly from: string;
  readonly text: string;
}

/* A text that began as another one is not for this dialog. */
function readTyped(kept: unknown, from: string): Typed {
  if (typeof kept === 'object' && kept !== null && 'from' in kept && 'text' in kept && kept.from === from)
    if (typeof kept.text === 'string') return { from, text: kept.text };
  return { from, text: from };
}

/** The text, a way to change it, and one to forget it once it was sent. `place` is the dialog and what it is about. */
export function useTyped(place: string, initial = ''): readonly [string, (text: string) => void, () => void] {
  const key = typedKey(place);
  const [{ from, text }, setTyped] = useKept(key, (kept) => readTyped(kept, initial));
  const setText = useCallback((next: string) => setTyped({ from, text: next }), [from, setTyped]);
  const forget = useCallback(() => keep(key, undefined), [key]);
  return [text, setText, forget];
}
