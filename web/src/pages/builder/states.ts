/* pages/builder/states.ts — the code for Serverless Workflows, which comes with the first document that is one. */
import { addStatesFormat, hasStates } from '../../flow/format';
import type { Json } from '../../flow/json';
import { loadTexts } from '../../texts/language';

let coming: Promise<void> | null = null;

async function load(): Promise<void> {
  await loadTexts(['serverless']);
  const [format] = await Promise.all([import('../../flow/serverless/format'), import('./state-panel')]);
  addStatesFormat(format.statesFormat);
}

/** Has to be done before anything is read of the document. */
export async function bringFormatOf(document: Json): Promise<void> {
  if (!hasStates(document)) return;
  coming ??= load();
  try {
    await coming;
  } catch (thrown) {
    coming = null;
    throw thrown;
  }
}
