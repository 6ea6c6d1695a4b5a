/* texts/home.ts — the texts of the home page. */
import { home } from './en/home';
import { textsOf } from './language';

export const t = textsOf('home', home);
