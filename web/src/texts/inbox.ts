/* texts/inbox.ts — the texts of the inbox. */
import { inbox } from './en/inbox';
import { textsOf } from './language';

export const t = textsOf('inbox', inbox);
