/* texts/workers.ts — the texts of the page of workers. */
import { workers } from './en/workers';
import { textsOf } from './language';

export const t = textsOf('workers', workers);
