/* texts/flows.ts — the texts of the pages of flows. */
import { flows } from './en/flows';
import { textsOf } from './language';

export const t = textsOf('flows', flows);
