/* texts/entities.ts — the texts of the pages of entities. */
import { entities } from './en/entities';
import { textsOf } from './language';

export const t = textsOf('entities', entities);
