/* ui/use-roving.ts — roving focus for a list: its items have `data-rove`, the element around all of them `data-rove-list`. */
import { type KeyboardEvent, useState } from 'react';

import { moveTo, type RovingOptions } from './roving';

interface Roving {
  /** The item that has the tab stop. */
  readonly index: number;
  readonly setIndex: (index: number) => void;
  readonly tabIndexOf: (index: number) => 0 | -1;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export function useRoving(count: number, options: RovingOptions = {}): Roving {
  const [kept, setIndex] = useState(0);
  const index = Math.min(kept, Math.max(0, count - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
    if (isTyping) return;
    const to = moveTo(event.key, index, count, options);
    if (to === null) return;
    event.preventDefault();
    setIndex(to);
    const list = event.currentTarget.closest('[data-rove-list]');
    // A list may hold another one, which has its own items.
    const items = [...(list?.querySelectorAll<HTMLElement>('[data-rove]') ?? [])].filter(
      (item) => item.closest('[data-rove-list]') === list,
    );
    items[to]?.focus();
  };
  return { index, setIndex, tabIndexOf: (at) => (at === index ? 0 : -1), onKeyDown };
}
