/* texts/ui.ts — the texts of what pages share. */
import './core';

import { ui } from './en/ui';
import { textsOf } from './language';

export const t = textsOf('ui', ui);
