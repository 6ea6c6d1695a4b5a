/* pages/flows/start-dialog.tsx — starts a flow, with a form made from its input schema. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { type DefinitionDetails, startFlow } from '../../api/definitions';
import { runAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { FormFields } from '../../ui/form/form-fields';
import { useTypedForm } from '../../ui/form/typed-form';
import { newKey } from '../../ui/new-key';
import { useTyped } from '../../ui/use-typed';
import { t } from '../../texts/flows';

/** Without a schema anything goes: one box of JSON. */
const ANYTHING = { title: t.dataItBegins };

export function StartDialog({
  flow,
  onClose,
}: {
  readonly flow: DefinitionDetails;
  readonly onClose: () => void;
}) {
  const [, go] = useLocation();
  const [key] = useState(newKey);
  const place = `start:${flow.definitionId}:${flow.version}`;
  const [businessKey, setBusinessKey, forgetKey] = useTyped(`${place}:key`);
  const [trigger, setTrigger] = useState(flow.starts[0]?.trigger ?? '');
  const [form, forget] = useTypedForm(
    place,
    flow.inputSchema ?? ANYTHING,
    flow.inputSchema === undefined ? {} : undefined,
  );
  const start = useMutation({
    mutationFn: (input: unknown) =>
      startFlow(flow.definitionId, { input, businessKey: businessKey.trim(), trigger }, key),
    onSuccess: (id) => {
      forget();
      forgetKey();
      if (id === '') {
        announce(t.asManyRunsAsMay);
        onClose();
        return;
      }
      announce(t.started);
      go(runAddress(id));
    },
    onError: (thrown) => form.refuse(thrown.message),
  });
  const send = () => {
    const read = form.send();
    if (read !== null) start.mutate(read.value);
  };
  return (
    <Dialog
      title={t.start2(flow.name)}
      onClose={onClose}
      onSubmit={send}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit" icon="play" isBusy={start.isPending}>
            {t.start3}
          </Button>
        </>
      }
    >
      {flow.starts.length > 1 && (
        <label className="field">
          <span className="label">{t.itBeginsWhen}</span>
          <select className="in" value={trigger} onChange={(event) => setTrigger(event.target.value)}>
            {flow.starts.map((each) => (
              <option key={each.trigger} value={each.trigger}>
                {each.label}
              </option>
            ))}
          </select>
        </label>
      )}
      <FormFields form={form} />
      <label className="field">
        <span className="label">{t.keyByWhichYouWill}</span>
        <input
          className="in"
          value={businessKey}
          maxLength={200}
          onChange={(event) => setBusinessKey(event.target.value)}
        />
      </label>
      {start.isError && <Failed problem={start.error} />}
    </Dialog>
  );
}
