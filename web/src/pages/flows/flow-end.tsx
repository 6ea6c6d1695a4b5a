/* pages/flows/flow-end.tsx — the end of a flow: nothing of it starts any more, or it goes with all its versions. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useLocation } from 'wouter';

import { type DefinitionDetails, deleteFlow, retireFlow } from '../../api/definitions';
import { t } from '../../texts/flows';
import { flowsAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';

interface EndDialogProps {
  readonly title: string;
  readonly act: string;
  readonly send: (key: string) => Promise<string>;
  readonly isBlocked?: boolean;
  /** The flow goes with it: from the request on, the page of the flow must not ask for it. The next page asks anew. */
  readonly onLeaving?: (isLeaving: boolean) => void;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function EndDialog(props: EndDialogProps) {
  const { title, act, send, isBlocked = false, onLeaving, onDone, onClose, children } = props;
  const queries = useQueryClient();
  const [key, setKey] = useState(newKey);
  const sending = useMutation({
    mutationFn: () => send(key),
    onSuccess: async (says) => {
      announce(says);
      const stale = queries.invalidateQueries({
        queryKey: ['definitions'],
        refetchType: onLeaving === undefined ? 'active' : 'none',
      });
      onDone();
      await stale;
    },
    onError: () => {
      // A refused request may be asked for otherwise.
      setKey(newKey());
      if (onLeaving === undefined) return;
      onLeaving(false);
      void queries.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (sending.isPending || isBlocked) return;
        onLeaving?.(true);
        sending.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="danger" type="submit" isBusy={sending.isPending} disabled={isBlocked}>
            {act}
          </Button>
        </>
      }
    >
      {children}
      {sending.isError && <Failed problem={sending.error} />}
    </Dialog>
  );
}

interface FlowEndProps {
  readonly flow: DefinitionDetails;
  /** It is being deleted from here, or that was refused. */
  readonly onLeaving: (isLeaving: boolean) => void;
}

interface OfFlow extends FlowEndProps {
  readonly onClose: () => void;
}

function RetireDialog({ flow, onClose }: Omit<OfFlow, 'onLeaving'>) {
  return (
    <EndDialog
      title={t.retireFlow(flow.name)}
      act={t.retireIt}
      send={async (key) => {
        await retireFlow(flow.definitionId, key);
        return t.flowIsRetired;
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="mid">{t.nothingOfItStarts}</p>
    </EndDialog>
  );
}

/** It goes only for somebody who types its id. */
function DeleteDialog({ flow, onLeaving, onClose }: OfFlow) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAll, setAll] = useState(false);
  const [typed, setTyped] = useState('');
  const field = useId();
  return (
    <EndDialog
      title={t.deleteFlow(flow.name)}
      act={t.deleteIt}
      isBlocked={typed !== flow.definitionId}
      onLeaving={onLeaving}
      send={async (key) => {
        // The engine may read a request that is under way after this one.
        await queries.cancelQueries({ predicate: ({ queryKey }) => queryKey[1] === flow.definitionId });
        return (await deleteFlow(flow.definitionId, isAll, key)) === 'deleted'
          ? t.flowIsDeleted
          : t.flowIsBeingDeleted;
      }}
      onDone={() => go(flowsAddress)}
      onClose={onClose}
    >
      <p className="mid">{t.allItsVersionsGo}</p>
      <label className="field">
        <span>
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} />{' '}
          {t.itsEndedRunsToo}
        </span>
      </label>
      <div className="field">
        <label className="label" htmlFor={field}>
          {t.typeTheIdToGoOn(flow.definitionId)}
        </label>
        <input
          id={field}
          className="input"
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
    </EndDialog>
  );
}

/** Both buttons, and what has happened already. */
export function FlowEnd({ flow, onLeaving }: FlowEndProps) {
  const [open, setOpen] = useState<'retire' | 'delete' | null>(null);
  const onClose = () => setOpen(null);
  if (flow.deleting === true) return <span className="tag">{t.beingDeleted}</span>;
  return (
    <>
      {flow.retiredAt === undefined ? (
        <Button look="quiet" needs="definitions:write" onClick={() => setOpen('retire')}>
          {t.retire}
        </Button>
      ) : (
        <span className="tag">{t.retired}</span>
      )}
      <Button look="quiet" needs="definitions:write" onClick={() => setOpen('delete')}>
        {t.delete}
      </Button>
      {open === 'retire' && <RetireDialog flow={flow} onClose={onClose} />}
      {open === 'delete' && <DeleteDialog flow={flow} onLeaving={onLeaving} onClose={onClose} />}
    </>
  );
}
