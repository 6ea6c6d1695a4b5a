/* ui/use-kept.ts — a state that survives a reload of the page: what somebody has typed and not sent yet. It stays in this browser. */
import { useCallback, useState } from 'react';

const PREFIX = 'pawl:kept:';
const BYTES_MAX = 200_000;

export function readKept(key: string): unknown {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined; // The browser keeps nothing, or something else wrote there.
  }
}

export function keep(key: string, value: unknown): void {
  try {
    const text = value === undefined ? undefined : JSON.stringify(value);
    if (text === undefined || text.length > BYTES_MAX) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // The browser keeps nothing: it is there until the page is left.
  }
}

/** `read` makes a value of what was kept, which may be of an older version of this page. */
export function useKept<Value>(
  key: string,
  read: (kept: unknown) => Value,
): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => read(readKept(key)));
  const set = useCallback(
    (next: Value) => {
      setValue(next);
      keep(key, next);
    },
    [key],
  );
  return [value, set];
}
