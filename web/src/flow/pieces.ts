/* flow/pieces.ts — work that can be done in pieces: a generator that yields wherever it may wait for a while. Large flows are laid out
 * between frames; small ones, and whoever needs the answer now, at once.
 *
 * Not here: when the next piece is done (pages/builder/use-pieces.ts). */
import type { Flow } from './flow';

export type Pieces<Result> = Generator<undefined, Result, undefined>;

/** Does all of it now. */
export function atOnce<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

export interface MemoInPieces<Result> {
  readonly now: (flow: Flow) => Result;
  readonly inPieces: (flow: Flow) => Pieces<Result>;
}

/** Like `memo` of a document, for work in pieces: both ways give the same object. */
export function memoInPieces<Result>(read: (flow: Flow) => Pieces<Result>): MemoInPieces<Result> {
  const known = new WeakMap<Flow, { readonly result: Result }>();
  function* inPieces(flow: Flow): Pieces<Result> {
    const kept = known.get(flow);
    if (kept !== undefined) return kept.result;
    const made = yield* read(flow);
    // Somebody may have asked for it at once meanwhile.
    const result = known.get(flow)?.result ?? made;
    known.set(flow, { result });
    return result;
  }
  return { now: (flow) => atOnce(inPieces(flow)), inPieces };
}
