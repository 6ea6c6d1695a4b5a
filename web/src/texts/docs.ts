/* texts/docs.ts — the texts of the help pages. */
import { docs } from './en/docs';
import { textsOf } from './language';

export const t = textsOf('docs', docs);
