/* pages/builder/kept-text.ts — a text with a mistake is no flow, so no draft has it: the browser keeps it until it is mended. */
import { pageTenant } from '../../api/tenant';
import { isObject } from '../../ui/form/json';
import { keep, readKept } from '../../ui/use-kept';
import { t } from '../../texts/builder';

export interface BrokenText {
  readonly text: string;
  readonly why: string;
}

const keyOf = (id: string) => `text:${pageTenant}:${id}`;

/** `etag` is the draft that the text came from: somebody may save another one meanwhile. */
export function keepText(id: string, broken: BrokenText | null, etag: string | null): void {
  keep(keyOf(id), broken === null ? undefined : { ...broken, etag });
}

/** The text that was typed before the page was loaded again; null: nothing, or the text had no mistake. */
export function keptText(id: string, etag: string | null): BrokenText | null {
  const kept = readKept(keyOf(id));
  if (!isObject(kept) || typeof kept['text'] !== 'string' || typeof kept['why'] !== 'string') return null;
  const isOld = kept['etag'] !== etag;
  const note = t.theFlowWasSavedAfter;
  return { text: kept['text'], why: isOld ? kept['why'].replace(note, '') + note : kept['why'] };
}
