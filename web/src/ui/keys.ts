/* ui/keys.ts — keys that work on a whole page. One handler reads one table, and so does the help that `?` opens. */
import { useEffect } from 'react';

import { t } from '../texts/ui';

export interface KeyBinding {
  /** As in KeyboardEvent.key: "f", "/", "Escape". */
  readonly key: string;
  readonly says: string;
  /** Absent: the binding is only listed; whoever has the focus handles it. */
  readonly run?: () => void;
  /** Where there is no `key` that a person could read: "Ctrl Z". */
  readonly shown?: string;
}

interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly KeyBinding[];
}

const KEY_WORDS: Readonly<Record<string, string>> = t.keys;

/** A key as it is written on the keyboard: "Ctrl Z". */
export const sayKey = (keys: string): string =>
  keys
    .split(' ')
    .map((key) => (Object.hasOwn(KEY_WORDS, key) ? KEY_WORDS[key] : key))
    .join(' ');

const groups = new Set<KeyGroup>();

/** All that is bound now, for the help. */
export function keyGroups(): readonly KeyGroup[] {
  return [...groups];
}

/** Whether letters go into what has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}

/** The newest binding of a key, if any: a page's own goes before the shell's. */
export function bindingOf(key: string, bound: readonly KeyGroup[]): KeyBinding | null {
  for (const group of [...bound].reverse())
    for (const binding of group.bindings)
      if (binding.key === key && binding.run !== undefined) return binding;
  return null;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // An editor in a shadow root hides itself: for the page its host has the focus, which takes no letters.
  const [target = event.target] = event.composedPath();
  if (isTyping(target) || document.querySelector('dialog[open]') !== null) return;
  const binding = bindingOf(event.key, keyGroups());
  if (binding === null) return;
  event.preventDefault();
  binding.run?.();
}

/** Binds keys while the component is there. `bindings` should be the same list between renders, or few. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    const group = { title, bindings };
    if (groups.size === 0) document.addEventListener('keydown', onKeyDown);
    groups.add(group);
    return () => {
      groups.delete(group);
      if (groups.size === 0) document.removeEventListener('keydown', onKeyDown);
    };
  }, [title, bindings]);
}
