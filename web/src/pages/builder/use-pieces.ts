/* pages/builder/use-pieces.ts — does work in pieces between frames, so that the canvas never stands still for it. */
import { startTransition, useEffect, useState } from 'react';

import type { Pieces } from '../../flow/pieces';

/** How long a piece may take: a frame has 16 ms, and the browser needs some of them. */
const PIECE_MS = 6;

/** Does the work until it is done or stopped; the answer stops it. */
export function runInPieces<Result>(work: Pieces<Result>, onDone: (result: Result) => void): () => void {
  let timer = setTimeout(piece);
  function piece() {
    const until = performance.now() + PIECE_MS;
    do {
      const step = work.next();
      if (step.done === true) {
        onDone(step.value);
        return;
      }
    } while (performance.now() < until);
    timer = setTimeout(piece);
  }
  return () => clearTimeout(timer);
}

/** The result of the last work that was done; `keep` joins it with what was there before. `start` is null: there is nothing to do. */
export function useInPieces<Result>(
  start: (() => Pieces<Result>) | null,
  keep: (next: Result, old: Result) => Result,
  first: Result,
): Result {
  const [result, setResult] = useState(first);
  useEffect(() => {
    if (start === null) return;
    return runInPieces(start(), (next) => startTransition(() => setResult((old) => keep(next, old))));
  }, [start, keep]);
  return result;
}
