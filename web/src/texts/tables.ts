/* texts/tables.ts — the texts of decision tables. */
import { tables } from './en/tables';
import { textsOf } from './language';

export const t = textsOf('tables', tables);
