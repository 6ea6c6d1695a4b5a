/* texts/audit.ts — the texts of the audit page. */
import { audit } from './en/audit';
import { textsOf } from './language';

export const t = textsOf('audit', audit);
