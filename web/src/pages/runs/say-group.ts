/* pages/runs/say-group.ts — what holds the runs of a group, in the language of the page. */
import type { RunGroup } from '../../api/run-groups';
import { sayFailure, sayWait } from '../../texts/engine';

/** The code of the sentence for runs that do not share one of their own. */
const CODES: { readonly [W in NonNullable<RunGroup['waitingFor']>]: string } = {
  person: 'person',
  job: 'works',
  timer: 'time',
  event: 'event',
  signal: 'signal',
  child: 'child',
};

/** The engine's own sentence, which is English, says more than the code: it is for pages in English, and where there is no code. */
export function sayGroup({ reasonCode, sentence, waitingFor, nodeTitle }: RunGroup): string {
  if (waitingFor === undefined) return sayFailure(reasonCode) || sentence;
  return sayWait({ code: CODES[waitingFor], title: nodeTitle ?? '' }) || sentence;
}
