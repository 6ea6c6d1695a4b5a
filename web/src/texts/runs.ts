/* texts/runs.ts — the texts of the list of runs. */
import { runs } from './en/runs';
import { textsOf } from './language';

export const t = textsOf('runs', runs);
