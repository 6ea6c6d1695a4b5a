/* pages/audit/words.ts — rows of the audit as people read them. Pure. */
import { shortValue } from '../../ui/words';
import { t } from '../../texts/audit';

/** "instance.cancel" → "Instance: cancel". */
export function actionWords(action: string): string {
  const [noun = '', verb] = action.split('.', 2);
  return verb === undefined ? action : `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}: ${verb}`;
}

/** Names of what changed, and counts; never values of data. */
export function detailWords(details: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(details ?? {})
    .map(
      ([name, value]) =>
        `${name}: ${Array.isArray(value) ? value.map(shortValue).join(', ') : shortValue(value)}`,
    )
    .join(' · ');
}

const WAYS: Readonly<Record<string, string>> = {
  rest: 'API',
  grpc: 'gRPC',
  ui: t.thisApplication,
  cli: t.commandLine,
  schedule: t.aSchedule,
  mcp: 'MCP',
};

export const wayWord = (way: string): string => WAYS[way] ?? way;
