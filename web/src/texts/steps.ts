/* texts/steps.ts — the engine’s words for types of steps, their ways and fields, found by the English ones. */
import { steps } from './en/steps';
import { textsOf } from './language';

export const t = textsOf('steps', steps);
