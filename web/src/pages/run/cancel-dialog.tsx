/* pages/run/cancel-dialog.tsx — asks before a run is cancelled, and why. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { cancelRun, type Run } from '../../api/instances';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';

export function CancelDialog({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [key] = useState(newKey);
  const [reason, setReason] = useState('');
  const id = useId();
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id, reason.trim(), run.status === 'failed', key),
    onSuccess: async () => {
      announce('Cancelled.');
      onClose();
      await queries.invalidateQueries({ queryKey: ['instances', run.id] });
    },
  });
  const open = run.why.length;
  return (
    <Dialog
      title={`Cancel ${run.businessKey ?? run.id}?`}
      onClose={onClose}
      onSubmit={() => cancel.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Let it be</Button>
          <Button look="danger" type="submit" icon="cancelled" isBusy={cancel.isPending}>
            Cancel the run
          </Button>
        </>
      }
    >
      <p className="mid">
        {open > 0 ? 'It stops where it stands, and all that it waits for is given up.' : 'It stops.'} What it
        has done stays done. It cannot be taken back.
      </p>
      <div className="field">
        <label htmlFor={id}>Why? It is kept with the run.</label>
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
