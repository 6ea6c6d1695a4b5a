/* flow/commands/replace.ts — the whole document at once: a text that has been edited, a fix that the engine offers. */
import type { Handler } from '../command';
import { type Flow, openValue } from '../flow';
import { printJson } from '../json';
import { applyPatch } from '../patch';
import { t } from '../../texts/flow';

/* The canvas keeps a document that it can edit; a document that only the text can change may become anything. */
function whyNot(flow: Flow, next: Flow): string | null {
  const opened = openValue(next);
  return opened.kind === 'flow' || openValue(flow).kind === 'other' ? null : opened.why;
}

export const replaceDocument: Handler<'replaceDocument'> = {
  says: (_, { says }) => says,
  refuses: (flow, { flow: next }) => whyNot(flow, next),
  apply: (flow, { flow: next }) => (printJson(flow) === printJson(next) ? flow : next),
};

export const applyFix: Handler<'applyFix'> = {
  says: (_, { label }) => label,
  refuses: (flow, { patch }) => {
    const next = applyPatch(flow, patch);
    return next === null || whyNot(flow, next) !== null ? t.theFlowHasChangedMeanwhile : null;
  },
  apply: (flow, { patch }) => applyPatch(flow, patch) ?? flow,
};
