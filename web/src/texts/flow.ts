/* texts/flow.ts — the texts of the document of a flow: commands, conditions, captions. */
import './core';

import { flow } from './en/flow';
import { textsOf } from './language';

export const t = textsOf('flow', flow);
