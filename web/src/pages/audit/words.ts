/* pages/audit/words.ts — rows of the audit as people read them. Pure. */
import { shortValue } from '../../ui/words';
import { t } from '../../texts/audit';

const wordIn = (words: Readonly<Record<string, string>>, word: string): string =>
  (Object.hasOwn(words, word) ? words[word] : undefined) ?? word;
/* "trusted-key" → "trustedKey". */
const nameOf = (word: string) => word.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** "instance.cancel" → "Instance: cancel". */
export function actionWords(action: string): string {
  const [noun = '', verb] = action.split('.', 2);
  return verb === undefined ? action : `${wordIn(t.nouns, nameOf(noun))}: ${wordIn(t.verbs, verb)}`;
}

/** The engine calls somebody who is not known "nobody". */
export const whoWords = (principal = ''): string => (principal === 'nobody' ? t.nobody : principal);

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
