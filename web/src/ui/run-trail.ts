/* ui/run-trail.ts — the list of runs that one came from, so that a run leads to the next and the one before. It is kept for the
 * tab: a reload does not lose it, and another tab has its own. */

export interface Trail {
  /** The query of the list's address. */
  readonly query: string;
  readonly ids: readonly string[];
}

const KEY = 'pawl.trail';
const IDS_MAX = 200;

export function parseTrail(text: string | null): Trail | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    const query: unknown = Reflect.get(value, 'query');
    const ids: unknown = Reflect.get(value, 'ids');
    if (typeof query !== 'string' || !Array.isArray(ids)) return null;
    return { query, ids: ids.filter((id) => typeof id === 'string').slice(0, IDS_MAX) };
  } catch {
    return null;
  }
}

export function keepTrail(trail: Trail): void {
  sessionStorage.setItem(KEY, JSON.stringify({ query: trail.query, ids: trail.ids.slice(0, IDS_MAX) }));
}

export interface Place {
  /** From 1. */
  readonly at: number;
  readonly count: number;
  readonly before: string | null;
  readonly next: string | null;
  readonly query: string;
}

/** Where the run is in the list; null: it is not in it. */
export function placeIn(trail: Trail | null, id: string): Place | null {
  const index = trail === null ? -1 : trail.ids.indexOf(id);
  if (trail === null || index < 0) return null;
  return {
    at: index + 1,
    count: trail.ids.length,
    before: trail.ids[index - 1] ?? null,
    next: trail.ids[index + 1] ?? null,
    query: trail.query,
  };
}

export function trailOf(id: string): Place | null {
  return placeIn(parseTrail(sessionStorage.getItem(KEY)), id);
}
