/* pages/runs/arrange.ts — rows do not jump under the reader: those that are shown keep their place and change in it, new ones
 * wait behind "12 new". Pure. */

interface Listed {
  readonly id: string;
}

export interface Arranged<Row> {
  readonly rows: readonly Row[];
  /** Shown before, and not in the list any more: they have moved on. */
  readonly gone: ReadonlySet<string>;
  /** How many came since, and whether there may be more than that. */
  readonly fresh: number;
  readonly isMoreFresh: boolean;
}

/** One and the same: rows that nothing happened to are not drawn again. */
const NONE: ReadonlySet<string> = new Set();

/** `shown` is what the reader sees, `found` what the engine says now; `hasMore`: the engine's page does not end the list. */
export function arrange<Row extends Listed>(
  shown: readonly Row[],
  found: readonly Row[],
  hasMore: boolean,
): Arranged<Row> {
  const now = new Map(found.map((row) => [row.id, row]));
  const known = new Set(shown.map(({ id }) => id));
  const lastFound = found.findLastIndex(({ id }) => known.has(id));
  const lastShown = shown.findLastIndex(({ id }) => now.has(id));
  // Behind the last row of the engine's page rows are not gone: new ones have pushed them out of it.
  const isPushedOut = (index: number) => hasMore && index > lastShown;
  const gone = shown.filter(({ id }, index) => !now.has(id) && !isPushedOut(index));
  // Behind the last row that is shown nothing is new: it has moved up from the next page.
  const fresh = found.filter(
    ({ id }, index) => !known.has(id) && (lastFound < 0 || index < lastFound),
  ).length;
  return {
    rows: shown.map((row) => now.get(row.id) ?? row),
    gone: gone.length === 0 ? NONE : new Set(gone.map(({ id }) => id)),
    fresh,
    isMoreFresh: lastFound < 0 && fresh > 0 && hasMore,
  };
}
