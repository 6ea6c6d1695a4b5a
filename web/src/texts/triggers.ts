/* texts/triggers.ts — the texts of the page of triggers. */
import { triggers } from './en/triggers';
import { textsOf } from './language';

export const t = textsOf('triggers', triggers);
