/* ui/missing-words.ts — what a flow needs and does not have, in the words of the screen. Pure. */
import type { Schemas } from '../api/client';
import { t } from '../texts/ui';

type Missing = Schemas['Missing'][number];

export function missingWords({ code, name, message }: Missing): string {
  switch (code) {
    case 'MISSING_SECRET':
      return t.nobodyHasSetTheSecret(name);
    case 'MISSING_CONNECTION':
      return name === '--smtp' ? t.theEngineHasNoMail : t.nobodyHasSetTheConnection(name);
    case 'MISSING_WORKER':
      // The engine knows whether other nodes may have one.
      return message.includes('at this node') ? t.nobodyTakesJobs(name) : t.nobodyTakesJobs2(name);
    case 'MISSING_CALCULATION_NODE':
      return t.noCalculationNode(name);
  }
}
