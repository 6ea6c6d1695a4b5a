/* texts/app.ts — the texts of the frame around all pages. */
import './core';

import { app } from './en/app';
import { textsOf } from './language';

export const t = textsOf('app', app);
