/* pages/triggers/event-dialog.tsx — sends an event by hand, as a system outside would: then says what became of it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';

import { sendEvent } from '../../api/triggers';
import { runAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { readObject } from '../../ui/read-object';
import { useTyped } from '../../ui/use-typed';
import { t } from '../../texts/triggers';
import { takenWords } from './words';

const FIELDS = [
  { name: 'type', label: t.typeOfTheEvent, help: t.suchAsOrderPaid, isNeeded: true },
  { name: 'source', label: t.whereItComesFrom, help: t.suchAsShop, isNeeded: true },
  { name: 'subject', label: t.subjectMayBeEmpty, help: t.oftenTheKeyOfARun, isNeeded: false },
] as const;

type Fields = { readonly [K in (typeof FIELDS)[number]['name']]: string };

export function EventDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const id = useId();
  const [fields, setFields] = useState<Fields>({ type: '', source: '', subject: '' });
  const [text, setText, forget] = useTyped('event');
  // An event with the same id counts once, however often the button is pressed.
  const [eventId, setEventId] = useState(newKey);
  const data = readObject(text);
  const send = useMutation({
    mutationFn: () =>
      sendEvent({
        id: eventId,
        type: fields.type.trim(),
        source: fields.source.trim(),
        ...(fields.subject.trim() === '' ? {} : { subject: fields.subject.trim() }),
        ...(data === null || Object.keys(data).length === 0 ? {} : { data }),
      }),
    onSuccess: () => {
      forget();
      setEventId(newKey());
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['arrivals'] }),
  });
  const isReady = fields.type.trim() !== '' && fields.source.trim() !== '' && data !== null;
  const first = send.data?.instances[0];
  return (
    <Dialog
      title={t.sendAnEvent}
      onClose={onClose}
      onSubmit={() => {
        if (isReady && !send.isPending) send.mutate();
      }}
      footer={
        <>
          <Button
            look="primary"
            type="submit"
            needs="events:send"
            isBusy={send.isPending}
            disabled={!isReady}
          >
            {send.isSuccess ? t.sendAnother : t.send}
          </Button>
          <Button onClick={onClose}>{t.close}</Button>
        </>
      }
    >
      <p className="mid">{t.thisIsRealFlows}</p>
      {FIELDS.map(({ name, label, help, isNeeded }) => (
        <div key={name} className="field">
          <label htmlFor={`${id}${name}`}>{label}</label>
          <input
            id={`${id}${name}`}
            className="in"
            maxLength={1024}
            required={isNeeded}
            placeholder={help}
            value={fields[name]}
            onChange={(event) => setFields({ ...fields, [name]: event.target.value })}
          />
        </div>
      ))}
      <div className="field">
        <label htmlFor={`${id}d`}>{t.dataAsJsonMay}</label>
        <textarea
          id={`${id}d`}
          className="in mono"
          rows={3}
          placeholder="{ }"
          value={text}
          aria-invalid={data === null}
          aria-describedby={`${id}h`}
          onChange={(event) => setText(event.target.value)}
        />
        <p id={`${id}h`} className="help">
          {data === null ? t.thisIsNoJsonObject : t.whatTheEventBrings}
        </p>
      </div>
      {send.isSuccess && (
        <p className="row" role="status">
          {takenWords(send.data, true)}{' '}
          {first !== undefined && (
            <Link className="link" href={runAddress(first.id)}>
              {t.openTheRun}
            </Link>
          )}
        </p>
      )}
      {send.isError && <Failed problem={send.error} />}
    </Dialog>
  );
}
