/* flow/memo.ts — what is derived from a document is kept for as long as the document lives, and never stored in it. */
import type { Flow } from './flow';

/** Keeps what `read` made of a document for as long as the document lives. */
export function memo<Result>(read: (flow: Flow) => Result): (flow: Flow) => Result {
  const known = new WeakMap<Flow, { readonly result: Result }>();
  return (flow) => {
    const kept = known.get(flow);
    if (kept !== undefined) return kept.result;
    const result = read(flow);
    known.set(flow, { result });
    return result;
  };
}
