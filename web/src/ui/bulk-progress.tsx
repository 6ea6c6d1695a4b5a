/* ui/bulk-progress.tsx — how far a command for many runs is: it can be paused, stopped and, if it moved runs to another version, undone;
 * at the end it says what became of each. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';

import { type Bulk, bulkQuery, bulkResultsQuery, pauseBulk, stopBulk, undoBulk } from '../api/bulk';
import { t } from '../texts/ui';
import { runAddress } from './addresses';
import { announce } from './announce';
import styles from './bulk-progress.module.css';
import { Button } from './button';
import { Failed } from './failed';
import { newKey } from './new-key';
import { Skeleton } from './skeleton';
import { StatusMark } from './status-mark';
import { formatCount } from './words';

const OUTCOMES = { succeeded: t.outcomeDone, skipped: t.outcomeLeftOut, refused: t.outcomeRefused } as const;
const OUTCOME_STATUS = { succeeded: 'completed', skipped: 'cancelled', refused: 'failed' } as const;

interface SteerProps {
  readonly bulk: Bulk;
  readonly onBegun: (id: string) => void;
}

/** A command for a million runs takes minutes: who sees that it was wrong can hold it, or end it. */
function Steer({ bulk, onBegun }: SteerProps) {
  const queries = useQueryClient();
  const { id, state } = bulk;
  const again = () => queries.invalidateQueries({ queryKey: ['bulk'] });
  const pause = useMutation({
    mutationFn: () => pauseBulk(id, state === 'running', newKey()),
    onSuccess: again,
  });
  const [stopKey] = useState(newKey);
  const stop = useMutation({ mutationFn: () => stopBulk(id, stopKey), onSuccess: again });
  const [undoKey] = useState(newKey);
  const undo = useMutation({
    mutationFn: () => undoBulk(id, undoKey),
    onSuccess: (made) => onBegun(made.id),
  });
  const isOver = state === 'done' || state === 'cancelled';
  const isMove = bulk.action === 'migrate' || bulk.action === 'undo';
  const refusal = [pause.error, stop.error, undo.error].find((thrown) => thrown !== null);
  return (
    <>
      {!isOver && (
        <>
          <Button needs="instances:operate" isBusy={pause.isPending} onClick={() => pause.mutate()}>
            {state === 'running' ? t.pause : t.goOn}
          </Button>
          <Button
            look="danger"
            needs="instances:operate"
            isBusy={stop.isPending}
            onClick={() => stop.mutate()}
          >
            {t.stop}
          </Button>
        </>
      )}
      {isOver && isMove && bulk.succeeded > 0 && (
        <Button icon="undo" needs="instances:operate" isBusy={undo.isPending} onClick={() => undo.mutate()}>
          {bulk.action === 'undo' ? t.bringThemAlongAgain : t.bringThemBack}
        </Button>
      )}
      {refusal && <Failed problem={refusal} />}
    </>
  );
}

interface BulkProgressProps {
  readonly id: string;
  /** Another one has begun: it undoes this one. */
  readonly onBegun: (id: string) => void;
  readonly onClose: () => void;
}

const STATE_WORDS: { readonly [K in Bulk['state']]: string } = {
  running: '',
  paused: t.paused,
  done: t.finished,
  cancelled: t.stopped,
};

export function BulkProgress({ id, onBegun, onClose }: BulkProgressProps) {
  const queries = useQueryClient();
  const bulk = useQuery({
    ...bulkQuery(id),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1000 : false),
  });
  const state = bulk.data?.state ?? 'running';
  const isOver = state === 'done' || state === 'cancelled';
  const results = useQuery({ ...bulkResultsQuery(id), enabled: isOver });
  useEffect(() => {
    if (!isOver) return;
    announce(STATE_WORDS[state]);
    void queries.invalidateQueries({ queryKey: ['instances'] });
    void queries.invalidateQueries({ queryKey: ['definitions'] });
    void queries.invalidateQueries({ queryKey: ['bulk', null] });
  }, [isOver, state, queries]);
  if (bulk.isPending) return <Skeleton lines={4} />;
  if (bulk.isError) return <Failed problem={bulk.error} onRetry={bulk.refetch} />;
  const { found, done, succeeded, skipped, refused } = bulk.data;
  return (
    <>
      <div className={styles['body']}>
        <section aria-live="polite">
          {bulk.data.action === 'undo' && <p>{t.backToTheVersionBefore}</p>}
          <progress
            className={styles['progress']}
            max={Math.max(1, found)}
            value={done}
            aria-label={t.progress}
          />
          <p>
            {t.ofDoneLeftOutRefused(
              formatCount(done),
              t.nRuns(found),
              formatCount(succeeded),
              formatCount(skipped),
              formatCount(refused),
            )}
          </p>
          {state === 'cancelled' && (
            <p>{t.wereNotTouchedWhat(<b>{t.stopped}</b>, formatCount(found - done))}</p>
          )}
          {state === 'paused' && <p>{t.waitUntilItGoes(<b>{t.paused}</b>, formatCount(found - done))}</p>}
          {state === 'running' && <p className="dim s">{t.itGoesOnIfYou}</p>}
        </section>
        {results.isSuccess && results.data.items.length > 0 && (
          <section>
            <h3>{t.whatBecameOfEach}</h3>
            <ul className={styles['results']}>
              {results.data.items.map(({ instanceId, outcome, reason }) => (
                <li key={instanceId}>
                  <StatusMark status={OUTCOME_STATUS[outcome]} word={OUTCOMES[outcome]} isSmall />
                  <Link href={runAddress(instanceId ?? '')} className="link mono cut">
                    {instanceId}
                  </Link>
                  {reason !== undefined && <small>{reason}</small>}
                </li>
              ))}
            </ul>
            {results.data.nextCursor !== undefined && <p className="dim s">{t.andMore}</p>}
          </section>
        )}
      </div>
      <footer>
        <Steer bulk={bulk.data} onBegun={onBegun} />
        <Button onClick={onClose}>{t.close}</Button>
      </footer>
    </>
  );
}
