/* flow/commands/replace.ts — the whole document at once: a text that has been edited, a fix that the engine offers. */
import type { Handler } from '../command';
import { openValue } from '../flow';
import { printJson } from '../json';
import { applyPatch } from '../patch';

export const replaceDocument: Handler<'replaceDocument'> = {
  says: (_, { says }) => says,
  refuses: (_, { flow }) => {
    const opened = openValue(flow);
    return opened.kind === 'flow' ? null : opened.why;
  },
  apply: (flow, { flow: next }) => (printJson(flow) === printJson(next) ? flow : next),
};

export const applyFix: Handler<'applyFix'> = {
  says: (_, { label }) => label,
  refuses: (flow, { patch }) => {
    const next = applyPatch(flow, patch);
    return next === null || openValue(next).kind !== 'flow' ? 'The flow has changed meanwhile' : null;
  },
  apply: (flow, { patch }) => applyPatch(flow, patch) ?? flow,
};
