/* texts/access.ts — the texts of the page of access. */
import { access } from './en/access';
import { textsOf } from './language';

export const t = textsOf('access', access);
