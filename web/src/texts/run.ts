/* texts/run.ts — the texts of the page of a run. */
import { run } from './en/run';
import { textsOf } from './language';

export const t = textsOf('run', run);
