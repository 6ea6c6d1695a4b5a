/* ui/form/typed-form.ts — the form of a dialog, with what was typed in it before somebody closed the dialog or loaded the page again. */
import { useCallback, useEffect, useState } from 'react';

import { keep, readKept } from '../use-kept';
import { typedKey } from '../use-typed';
import { isDraft } from './draft';
import type { Json } from './json';
import { type Form, useForm } from './use-form';

/** The form, and a way to forget what was typed once it was sent. `place` is the dialog and what it is about. */
export function useTypedForm(place: string, schema: unknown, initial?: Json): readonly [Form, () => void] {
  const key = typedKey(place);
  const [kept] = useState(() => readKept(key));
  const form = useForm(schema, initial, isDraft(kept) ? kept : undefined);
  const { draft, isTouched } = form;
  useEffect(() => {
    if (isTouched) keep(key, draft);
  }, [key, draft, isTouched]);
  const forget = useCallback(() => keep(key, undefined), [key]);
  return [form, forget];
}
