/* pages/triggers/fire-dialog.tsx — sends something to a trigger by hand: what it brings, then what became of it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { asProblem } from '../../api/problem';
import { fireTrigger, startFormQuery, type Trigger } from '../../api/triggers';
import { runAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FormFields, ProblemLine } from '../../ui/form/form-fields';
import { isObject, memberOf } from '../../ui/form/json';
import { useTypedForm } from '../../ui/form/typed-form';
import { StatusMark } from '../../ui/status-mark';
import { t } from '../../texts/triggers';
import { outcomeLook } from './words';

const ANYTHING = { type: 'object', title: t.whatItBrings, description: t.asJsonEmptyForNothing };

/* The engine tells a refusal as an arrival with a note: the note says why. */
function ownWords(thrown: unknown): string {
  const { body, message } = asProblem(thrown);
  const note = memberOf(body, 'note');
  return typeof note === 'string' && note !== '' ? note : message;
}

interface FireDialogProps {
  readonly trigger: Trigger;
  readonly onClose: () => void;
}

/** By hand people fill in the flow's own form; other triggers take what their sender would send. */
export function FireDialog({ trigger, onClose }: FireDialogProps) {
  const definition = useQuery({
    ...startFormQuery(trigger.definitionId),
    enabled: trigger.type === 'manual',
  });
  if (definition.isLoading) return null;
  return <FireForm trigger={trigger} schema={definition.data?.inputSchema} onClose={onClose} />;
}

function FireForm({ trigger, schema, onClose }: FireDialogProps & { readonly schema: unknown }) {
  const queries = useQueryClient();
  const [whole] = useState(() => ({
    type: 'object',
    properties: { payload: isObject(schema) ? { ...schema, title: '' } : ANYTHING },
  }));
  const [form, forget] = useTypedForm(`fire:${trigger.definitionId}:${trigger.trigger}`, whole);
  const fire = useMutation({
    mutationFn: (payload: unknown) => fireTrigger(trigger, payload),
    onSuccess: forget,
    onError: (thrown) => form.refuse(ownWords(thrown)),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['triggers'] }),
        queries.invalidateQueries({ queryKey: ['arrivals'] }),
      ]),
  });
  const send = () => {
    if (fire.isPending) return;
    const entry = form.send();
    if (entry !== null) fire.mutate(memberOf(entry.value, 'payload') ?? null);
  };
  const became = fire.data;
  return (
    <Dialog
      title={t.sendOne(trigger.label ?? trigger.trigger)}
      onClose={onClose}
      onSubmit={send}
      footer={
        <>
          <Button look="primary" type="submit" isBusy={fire.isPending}>
            {became === undefined ? t.send : t.sendAnother}
          </Button>
          <Button onClick={onClose}>{t.close}</Button>
        </>
      }
    >
      <p className="mid">{t.thisIsRealItDoes}</p>
      <FormFields form={form} />
      {became !== undefined && (
        <p className="row" role="status">
          <StatusMark {...outcomeLook(became.outcome)} />
          {became.note !== undefined && became.note !== '' && <span className="mid">{became.note}</span>}
          {became.instanceId !== undefined && (
            <Link className="link" href={runAddress(became.instanceId)}>
              {t.openTheRun}
            </Link>
          )}
        </p>
      )}
      {fire.isError && <ProblemLine message={ownWords(fire.error)} />}
    </Dialog>
  );
}
