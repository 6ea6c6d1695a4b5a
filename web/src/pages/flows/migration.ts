/* pages/flows/migration.ts — which steps of the old version need a place in the new one, and the request that says so. Pure. */
import type { BulkPreview } from '../../api/bulk';
import type { Migration } from '../../api/migrations';
import { t } from '../../texts/flows';

export interface Step {
  readonly id: string;
  readonly title: string;
  /** As the picture calls it. */
  readonly kind?: string;
}

/** No run stands at a trigger or at an end, so none goes on there. */
export const isRest = ({ kind }: Step) => !['start', 'end', 'error'].includes(kind ?? '');

/** Old step to new step; a step that is not in it goes on at the step of the same id. */
export type StepMap = Readonly<Record<string, string>>;

/** Steps of the old version that the new one lacks: runs that stand there stay, unless they are led elsewhere. */
export function lostSteps(older: readonly Step[], newer: readonly Step[]): readonly Step[] {
  const known = new Set(newer.map(({ id }) => id));
  return older.filter(({ id }) => !known.has(id));
}

/** Where a lost step most likely went: the one new step with the same title. */
export function likelyMap(older: readonly Step[], newer: readonly Step[]): StepMap {
  const before = new Set(older.map(({ id }) => id));
  const fresh = newer.filter(({ id }) => !before.has(id));
  const pairs = lostSteps(older, newer).flatMap(({ id, title }): [string, string][] => {
    const same = fresh.filter((step) => step.title.toLowerCase() === title.toLowerCase());
    return same.length === 1 && same[0] !== undefined ? [[id, same[0].id]] : [];
  });
  return Object.fromEntries(pairs);
}

export function requestOf(
  definitionId: string,
  versions: { readonly from: number; readonly to: number },
  map: StepMap,
  more: { readonly isRetrying: boolean; readonly reason: string },
): Migration {
  const mapped = Object.entries(map).filter(([, to]) => to !== '');
  return {
    definitionId,
    ...versions,
    ...(mapped.length === 0 ? {} : { map: Object.fromEntries(mapped) }),
    ...(more.isRetrying ? {} : { retry: false }),
    ...(more.reason.trim() === '' ? {} : { reason: more.reason.trim() }),
  };
}

export const VERDICTS = ['moves', 'mapped', 'cannot-move'] as const;

export const VERDICT_WORDS: { readonly [K in (typeof VERDICTS)[number]]: string } = {
  moves: t.goOnWhereTheyStand,
  mapped: t.goOnAtAnotherStep,
  'cannot-move': t.stayWithTheirVersion2,
};

/** How many runs have each verdict, and what a preview says of them. */
export function verdictsOf(preview: BulkPreview) {
  const counts = {
    moves: preview.moves ?? 0,
    mapped: preview.mapped ?? 0,
    'cannot-move': preview.cannotMove ?? 0,
  };
  return VERDICTS.map((verdict) => ({
    verdict,
    count: counts[verdict],
    groups: preview.groups.filter((group) => group.verdict === verdict),
  }));
}
