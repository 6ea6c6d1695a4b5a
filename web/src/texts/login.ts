/* texts/login.ts — the texts of the login page. */
import { login } from './en/login';
import { textsOf } from './language';

export const t = textsOf('login', login);
