/* ui/use-now.ts — the time, for views that say how long ago something was. All of them share one clock per pace. */
import { useSyncExternalStore } from 'react';

interface Clock {
  now: number;
  readonly listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | undefined;
}

const clocks = new Map<number, Clock>();

function clockOf(everyMs: number): Clock {
  const known = clocks.get(everyMs);
  if (known !== undefined) return known;
  const clock: Clock = { now: Date.now(), listeners: new Set(), timer: undefined };
  clocks.set(everyMs, clock);
  return clock;
}

function listen(clock: Clock, everyMs: number, listener: () => void): () => void {
  clock.listeners.add(listener);
  clock.now = Date.now();
  clock.timer ??= setInterval(() => {
    clock.now = Date.now();
    for (const each of clock.listeners) each();
  }, everyMs);
  return () => {
    clock.listeners.delete(listener);
    if (clock.listeners.size > 0) return;
    clearInterval(clock.timer);
    clock.timer = undefined;
  };
}

/** The time in milliseconds, as of at most `everyMs` ago. */
export function useNow(everyMs = 5000): number {
  const clock = clockOf(everyMs);
  return useSyncExternalStore(
    (listener) => listen(clock, everyMs, listener),
    () => clock.now,
  );
}
