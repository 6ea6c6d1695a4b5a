/* texts/trial.ts — the texts of the builder’s test. */
import { trial } from './en/trial';
import { textsOf } from './language';

export const t = textsOf('trial', trial);
