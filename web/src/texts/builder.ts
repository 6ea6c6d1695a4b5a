/* texts/builder.ts — the texts of the builder. */
import { builder } from './en/builder';
import { textsOf } from './language';

export const t = textsOf('builder', builder);
