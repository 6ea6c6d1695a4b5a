/* texts/form.ts — the texts of forms. */
import './core';

import { form } from './en/form';
import { textsOf } from './language';

export const t = textsOf('form', form);
