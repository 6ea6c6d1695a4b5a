/* pages/run/run-actions.tsx — what may be done to a run now: the engine lists it, nothing else is offered. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { retryRun, type Run } from '../../api/instances';
import { scenarioOf } from '../../api/scenarios';
import { inboxAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Failed } from '../../ui/failed';
import { MayLink } from '../../ui/may-link';
import { newKey } from '../../ui/new-key';
import { saveFile } from '../../ui/save-file';
import { t } from '../../texts/run';
import { CancelDialog } from './cancel-dialog';
import { standingNode } from './marks';
import { RepairDialog } from './repair-dialog';
import styles from './run.module.css';
import { SignalDialog } from './signal-dialog';

/** ["retry", "signal:a", "complete:9"] → the arguments of one kind. */
export function argumentsOf(actions: readonly string[], kind: string): string[] {
  return actions.filter((each) => each.startsWith(`${kind}:`)).map((each) => each.slice(kind.length + 1));
}

function RetryButton({ run }: { readonly run: Run }) {
  const queries = useQueryClient();
  const { id, revision } = run;
  // One key for each state of the run: pressed twice, it is retried once.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const key = useMemo(() => newKey(), [id, revision]);
  const retry = useMutation({
    mutationFn: () => retryRun(id, key),
    onSuccess: async () => {
      announce(t.retried);
      await queries.invalidateQueries({ queryKey: ['instances', id] });
    },
  });
  const node = standingNode(run);
  const title = node === null ? '' : (run.nodes[node]?.title ?? '');
  return (
    <>
      <Button
        look="primary"
        icon="retry"
        needs="instances:operate"
        isBusy={retry.isPending}
        onClick={() => retry.mutate()}
      >
        <span className="cut">{t.retry(title)}</span>
      </Button>
      {retry.isError && (
        <div className={styles['refused']}>
          <Failed problem={retry.error} />
        </div>
      )}
    </>
  );
}

/** The same as a file, for `pawl test`. */
function SaveButton({ run }: { readonly run: Run }) {
  const save = useMutation({
    mutationFn: () => scenarioOf(run.id),
    onSuccess: (text) => saveFile(`${run.businessKey ?? run.id}.scenario.json`, text, 'application/json'),
    onError: (thrown) => announce(t.couldNotBeSaved(thrown.message)),
  });
  return <Button icon="file" label={t.saveTheRun} isBusy={save.isPending} onClick={() => save.mutate()} />;
}

export function RunActions({ run }: { readonly run: Run }) {
  const [open, setOpen] = useState<'cancel' | 'signal' | 'repair' | null>(null);
  const signals = argumentsOf(run.actions, 'signal');
  const [task] = argumentsOf(run.actions, 'complete');
  const close = () => setOpen(null);
  return (
    <div className={styles['actions']}>
      {run.actions.includes('retry') && <RetryButton run={run} />}
      {task !== undefined && (
        <MayLink
          href={inboxAddress(task)}
          needs="tasks:read"
          className={run.actions.includes('retry') ? 'btn' : 'btn primary'}
        >
          {t.openTheTask}
        </MayLink>
      )}
      {signals.length > 0 && (
        <Button icon="signal" needs="events:send" onClick={() => setOpen('signal')}>
          {t.sendASignal}
        </Button>
      )}
      <CopyButton text={() => scenarioOf(run.id)} what={t.theRunAsATest}>
        {t.copyAsATest}
      </CopyButton>
      <SaveButton run={run} />
      {(run.endedAt === undefined || run.actions.includes('retry')) && (
        <Button needs="instances:operate" onClick={() => setOpen('repair')}>
          {t.repair2}
        </Button>
      )}
      {run.actions.includes('cancel') && (
        <Button look="danger" icon="cancelled" needs="instances:operate" onClick={() => setOpen('cancel')}>
          {t.cancel2}
        </Button>
      )}
      {open === 'repair' && <RepairDialog run={run} onClose={close} />}
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'signal' && <SignalDialog run={run} steps={signals} onClose={close} />}
    </div>
  );
}
