/* texts/account.ts — the texts of the account page. */
import { account } from './en/account';
import { textsOf } from './language';

export const t = textsOf('account', account);
