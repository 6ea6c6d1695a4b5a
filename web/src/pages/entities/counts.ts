/* pages/entities/counts.ts — how many entities of a model are in which state. */

export interface StateCount {
  readonly state: string;
  readonly count: number;
}

interface Counted extends StateCount {
  readonly modelName: string;
  readonly modelVersion: number;
}

/** The counts of one model, the most first. */
export function countsOf(all: readonly Counted[], name: string, version: number): readonly StateCount[] {
  return all
    .filter(({ modelName, modelVersion }) => modelName === name && modelVersion === version)
    .sort((one, other) => other.count - one.count || one.state.localeCompare(other.state));
}

export function totalOf(counts: readonly StateCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
