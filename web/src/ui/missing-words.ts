/* ui/missing-words.ts — what a flow needs and does not have, in the words of the screen. Pure. */
import type { Schemas } from '../api/client';

type Missing = Schemas['Missing'][number];

export function missingWords({ code, name, message }: Missing): string {
  switch (code) {
    case 'MISSING_SECRET':
      return `Nobody has set the secret “${name}”.`;
    case 'MISSING_CONNECTION':
      return name === '--smtp'
        ? 'The engine has no mail server.'
        : `Nobody has set the connection “${name}”.`;
    case 'MISSING_WORKER':
      // The engine knows whether other nodes may have one.
      return message.includes('at this node')
        ? `Nobody takes jobs of the kind “${name}” from this node of the engine.`
        : `Nobody takes jobs of the kind “${name}”.`;
    case 'MISSING_CALCULATION_NODE':
      return `No calculation node with “${name}” is connected.`;
  }
}
