/* pages/run/signal-dialog.tsx — wakes a step that waits, with data if there are some. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { type Run, signalRun } from '../../api/instances';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { readObject } from '../../ui/read-object';
import { useTyped } from '../../ui/use-typed';
import { t } from '../../texts/run';

interface SignalDialogProps {
  readonly run: Run;
  readonly steps: readonly string[];
  readonly onClose: () => void;
}

export function SignalDialog({ run, steps, onClose }: SignalDialogProps) {
  const queries = useQueryClient();
  const [key] = useState(newKey);
  const [step, setStep] = useState(steps[0] ?? '');
  const [text, setText, forget] = useTyped(`signal:${run.id}`);
  const id = useId();
  const data = readObject(text);
  const send = useMutation({
    mutationFn: () => signalRun(run.id, step, data ?? {}, key),
    onSuccess: async () => {
      forget();
      announce(t.sent);
      onClose();
      await queries.invalidateQueries({ queryKey: ['instances', run.id] });
    },
  });
  return (
    <Dialog
      title={t.sendASignal2}
      onClose={onClose}
      onSubmit={() => {
        if (data !== null) send.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit" icon="signal" disabled={data === null} isBusy={send.isPending}>
            {t.send}
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={`${id}s`}>{t.stepThatWaits}</label>
        <select id={`${id}s`} className="in" value={step} onChange={(event) => setStep(event.target.value)}>
          {steps.map((each) => (
            <option key={each} value={each}>
              {run.nodes[each]?.title ?? each}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}d`}>{t.dataThatComes}</label>
        <textarea
          id={`${id}d`}
          className="in mono"
          rows={6}
          value={text}
          placeholder="{ }"
          aria-invalid={data === null}
          aria-describedby={`${id}h`}
          onChange={(event) => setText(event.target.value)}
        />
        <p id={`${id}h`} className="help">
          {data === null ? t.thisIsNoJsonObject : t.itIsMergedInto}
        </p>
      </div>
      {send.isError && <Failed problem={send.error} />}
    </Dialog>
  );
}
