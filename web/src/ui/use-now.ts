/* ui/use-now.ts — the time, for views that say how long ago something was. All of them share one clock per pace. */
import { useSyncExternalStore } from 'react';

interface Clock {
  readonly read: () => number;
  readonly subscribe: (listener: () => void) => () => void;
}

const clocks = new Map<number, Clock>();

function newClock(everyMs: number): Clock {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    read: () => now,
    subscribe: (listener) => {
      // A clock that nobody read has stopped.
      if (timer === undefined) {
        now = Date.now();
        timer = setInterval(tick, everyMs);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/** The time in milliseconds, as of at most `everyMs` ago. */
export function useNow(everyMs = 5000): number {
  let clock = clocks.get(everyMs);
  if (clock === undefined) {
    clock = newClock(everyMs);
    clocks.set(everyMs, clock);
  }
  return useSyncExternalStore(clock.subscribe, clock.read);
}
