/* pages/run/try-words.ts — how a try of a step ended. A try that failed need not say why, and then it did not go well either. */
import type { Visit } from '../../api/instances';
import { sayFailure } from '../../texts/engine';
import { t } from '../../texts/run';

type Try = Visit['tries'][number];

const OUTCOMES: { readonly [O in Try['outcome']]: string } = {
  open: t.isNotOver,
  completed: t.wentWell,
  failed: t.failedWithoutAReason,
  cancelled: t.wasCancelled,
};

export const sayTry = (each: Try): string =>
  sayFailure(each.reasonCode) || each.error || OUTCOMES[each.outcome];
