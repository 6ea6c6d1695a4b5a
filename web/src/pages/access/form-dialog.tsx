/* pages/access/form-dialog.tsx — a dialog that sends something about access, says what the engine said, and has all lists asked for again. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { t } from '../../texts/access';

interface FormDialogProps<Answer> {
  readonly title: string;
  /** The word on the button that sends it. */
  readonly act: string;
  readonly send: () => Promise<Answer>;
  /** Spoken when it is done. */
  readonly says: string;
  readonly onClose: () => void;
  /** Instead of onClose, when the engine has answered. */
  readonly onDone?: (answer: Answer) => void;
  readonly isDanger?: boolean;
  readonly isBlocked?: boolean;
  readonly children?: ReactNode;
}

export function FormDialog<Answer>(props: FormDialogProps<Answer>) {
  const { title, act, send, says, onClose, onDone = onClose, isDanger = false, isBlocked = false } = props;
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: send,
    onSuccess: (answer) => {
      announce(says);
      onDone(answer);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['access'] }),
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (!sending.isPending && !isBlocked) sending.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button
            look={isDanger ? 'danger' : 'primary'}
            type="submit"
            isBusy={sending.isPending}
            disabled={isBlocked}
          >
            {act}
          </Button>
        </>
      }
    >
      {props.children}
      {sending.isError && <Failed problem={sending.error} />}
    </Dialog>
  );
}
