/* app/finds.ts — what was found, as lines to choose from. Pure. */
import type { IconName } from '../ui/icon';
import { t } from '../texts/app';

export interface Find {
  readonly key: string;
  readonly group: string;
  readonly icon: IconName;
  readonly title: string;
  /** A few words beside the title. */
  readonly note: string;
  readonly href: string;
}

interface Page {
  readonly word: string;
  readonly href: string;
  readonly icon: IconName;
}

/** Pages by the beginning of one of their words. */
export function findPages(pages: readonly Page[], text: string): readonly Find[] {
  const part = text.trim().toLowerCase();
  return pages
    .filter(({ word }) =>
      word
        .toLowerCase()
        .split(' ')
        .some((each) => each.startsWith(part)),
    )
    .map(({ word, href, icon }) => ({
      key: `page ${href}`,
      group: t.pages,
      icon,
      title: word,
      note: '',
      href,
    }));
}

/** Where a key leads among `count` lines; null: it is no key of a list. */
export function moveFind(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return null; // In a text it is the text's.
  if (key === 'PageDown') return count - 1;
  if (key === 'PageUp') return 0;
  return null;
}

/** In the order in which they come, by group. */
export function groupFinds(finds: readonly Find[]): readonly (readonly [string, readonly Find[]])[] {
  const groups = new Map<string, Find[]>();
  for (const find of finds) groups.set(find.group, [...(groups.get(find.group) ?? []), find]);
  return [...groups];
}
