/* ui/roving.ts — one tab stop for a list: arrows move in it. Pure; use-roving.ts does the rest. */

export interface RovingOptions {
  readonly isAcross?: boolean;
  /** j and k move, too. Not where letters are typed. */
  readonly hasLetters?: boolean;
  readonly page?: number;
}

/** Where a key leads from `index` of `count`; null: it is no key of ours. */
export function moveTo(
  key: string,
  index: number,
  count: number,
  options: RovingOptions = {},
): number | null {
  if (count === 0) return null;
  const { isAcross = false, hasLetters = false, page = 10 } = options;
  const clamp = (to: number) => Math.min(count - 1, Math.max(0, to));
  if (key === (isAcross ? 'ArrowRight' : 'ArrowDown') || (hasLetters && key === 'j')) return clamp(index + 1);
  if (key === (isAcross ? 'ArrowLeft' : 'ArrowUp') || (hasLetters && key === 'k')) return clamp(index - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'PageDown') return clamp(index + page);
  if (key === 'PageUp') return clamp(index - page);
  return null;
}
