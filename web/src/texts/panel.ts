/* texts/panel.ts — the texts of the builder’s panel. */
import { panel } from './en/panel';
import { textsOf } from './language';

export const t = textsOf('panel', panel);
