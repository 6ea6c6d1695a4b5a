/* pages/run/cancel-dialog.tsx — asks before a run is cancelled, and why. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { cancelRun, type Run } from '../../api/instances';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { useTyped } from '../../ui/use-typed';
import { t } from '../../texts/run';

export function CancelDialog({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [key] = useState(newKey);
  const [reason, setReason, forget] = useTyped(`cancel:${run.id}`);
  const id = useId();
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id, reason.trim(), run.status === 'failed', key),
    onSuccess: async () => {
      forget();
      announce(t.cancelled);
      onClose();
      await queries.invalidateQueries({ queryKey: ['instances', run.id] });
    },
  });
  const open = run.why.length;
  return (
    <Dialog
      title={t.cancel(run.businessKey ?? run.id)}
      onClose={onClose}
      onSubmit={() => cancel.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{t.letIt}</Button>
          <Button look="danger" type="submit" icon="cancelled" isBusy={cancel.isPending}>
            {t.cancelTheRun}
          </Button>
        </>
      }
    >
      <p className="mid">{t.whatItHasDoneStays(open > 0 ? t.itStopsWhereItStands : t.itStops)}</p>
      <div className="field">
        <label htmlFor={id}>{t.whyItIsKept}</label>
        <input
          id={id}
          className="in"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      {cancel.isError && <Failed problem={cancel.error} />}
    </Dialog>
  );
}
