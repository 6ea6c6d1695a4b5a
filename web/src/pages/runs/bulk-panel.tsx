/* pages/runs/bulk-panel.tsx — beside the list: what an action will touch, then how far it is, then what became of each. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';

import {
  beginBulk,
  type Bulk,
  type BulkAction,
  type BulkPreview,
  bulkQuery,
  type BulkRequest,
  bulkResultsQuery,
  previewQuery,
} from '../../api/bulk';
import { runAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { formatCount, plural } from '../../ui/words';
import styles from './runs.module.css';

const WORDS: {
  readonly [K in BulkAction]: { readonly noun: string; readonly verb: string; readonly effect: string };
} = {
  retry: { noun: 'a retry', verb: 'Retry', effect: 'try the step again at which they failed' },
  cancel: { noun: 'cancelling', verb: 'Cancel', effect: 'stop where they stand' },
  signal: { noun: 'the signal', verb: 'Signal', effect: 'go on if they wait at the step' },
};

const OUTCOMES = { succeeded: 'Done', skipped: 'Left out', refused: 'Refused' } as const;
const OUTCOME_STATUS = { succeeded: 'completed', skipped: 'cancelled', refused: 'failed' } as const;

function Groups({ preview }: { readonly preview: BulkPreview }) {
  return (
    <section>
      <h3>By what holds them</h3>
      <ul className={styles['groups']}>
        {preview.groups.slice(0, 20).map((group) => (
          <li key={`${group.status ?? ''} ${group.reason ?? ''}`}>
            <b>{formatCount(group.count)}</b>
            <span>
              {group.exampleReason ?? (group.status === 'WAITING' ? 'wait' : 'are on their way')}
              <small>
                last <Time at={group.lastAt} as="ago" />
              </small>
            </span>
          </li>
        ))}
      </ul>
      {preview.groupCount > 20 && (
        <p className="dim s">and {plural(preview.groupCount - 20, 'more group')}</p>
      )}
    </section>
  );
}

function Touched({
  preview,
  action,
  asked,
}: {
  readonly preview: BulkPreview;
  readonly action: BulkAction;
  readonly asked: number | null;
}) {
  const left = asked === null ? 0 : Math.max(0, asked - preview.found);
  return (
    <section>
      <div className={styles['touch']}>
        <b>{formatCount(preview.found)}</b>
        <span>
          {preview.found === 1 ? 'run' : 'runs'} will {WORDS[action].effect}
          <small>
            {action === 'retry'
              ? 'Steps that were done are not done again.'
              : 'What is done stays done. Runs that begin later are not touched.'}
          </small>
        </span>
        {asked !== null && (
          <>
            <b className={left === 0 ? styles['zero'] : ''}>{formatCount(left)}</b>
            <span className={left === 0 ? 'mid' : ''}>
              of those chosen {left === 1 ? 'is' : 'are'} left out
              {left > 0 && <small>They do not stand so that this can be done to them.</small>}
            </span>
          </>
        )}
      </div>
    </section>
  );
}

interface PreviewProps {
  readonly request: BulkRequest;
  readonly action: BulkAction;
  /** How many were chosen one by one; null: by the filter. */
  readonly asked: number | null;
  readonly onBegun: (bulk: Bulk) => void;
  readonly onClose: () => void;
}

function Preview({ request, action, asked, onBegun, onClose }: PreviewProps) {
  const [key] = useState(newKey);
  const [step, setStep] = useState('');
  const preview = useQuery(
    previewQuery(action === 'signal' ? { ...request, ...(step === '' ? {} : { step }) } : request),
  );
  const begin = useMutation({
    mutationFn: () => beginBulk(step === '' ? request : { ...request, step }, key),
    onSuccess: onBegun,
  });
  const go = useRef<HTMLButtonElement>(null);
  const found = preview.data?.found ?? 0;
  const isReady = preview.isSuccess && found > 0 && (action !== 'signal' || step !== '');
  useEffect(() => {
    if (isReady) go.current?.focus();
  }, [isReady]);
  return (
    <>
      <div className={styles['body']}>
        {action === 'signal' && (
          <section>
            <div className="field">
              <label htmlFor="signal-step">Step that waits, by its id</label>
              <input
                id="signal-step"
                className="in"
                defaultValue={step}
                onBlur={(event) => setStep(event.target.value.trim())}
              />
            </div>
          </section>
        )}
        {preview.isPending && <Skeleton lines={4} />}
        {preview.isError && <Failed problem={preview.error} onRetry={preview.refetch} />}
        {preview.isSuccess && (
          <>
            <Touched preview={preview.data} action={action} asked={asked} />
            {preview.data.groups.length > 0 && <Groups preview={preview.data} />}
          </>
        )}
        {begin.isError && <Failed problem={begin.error} />}
      </div>
      <footer>
        <Button
          ref={go}
          look={action === 'cancel' ? 'danger' : 'primary'}
          disabled={!isReady}
          isBusy={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {WORDS[action].verb} {plural(found, 'run')}
        </Button>
        <Button onClick={onClose}>Back</Button>
      </footer>
    </>
  );
}

function Progress({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const bulk = useQuery({
    ...bulkQuery(id),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1000 : false),
  });
  const isOver = bulk.data !== undefined && bulk.data.state !== 'running';
  const results = useQuery({ ...bulkResultsQuery(id), enabled: isOver });
  useEffect(() => {
    if (!isOver) return;
    announce('Finished.');
    void queries.invalidateQueries({ queryKey: ['instances'] });
  }, [isOver, queries]);
  if (bulk.isPending) return <Skeleton lines={4} />;
  if (bulk.isError) return <Failed problem={bulk.error} onRetry={bulk.refetch} />;
  const { found, done, succeeded, skipped, refused } = bulk.data;
  return (
    <>
      <div className={styles['body']}>
        <section aria-live="polite">
          <progress
            className={styles['progress']}
            max={Math.max(1, found)}
            value={done}
            aria-label="Progress"
          />
          <p>
            {formatCount(done)} of {plural(found, 'run')}: {formatCount(succeeded)} done,{' '}
            {formatCount(skipped)} left out, {formatCount(refused)} refused
          </p>
          {!isOver && (
            <p className="dim s">It goes on if you leave this page, and after a restart of the engine.</p>
          )}
        </section>
        {results.isSuccess && (
          <section>
            <h3>What became of each</h3>
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
            {results.data.nextCursor !== undefined && <p className="dim s">and more</p>}
          </section>
        )}
      </div>
      <footer>
        <Button onClick={onClose}>Close</Button>
      </footer>
    </>
  );
}

interface BulkPanelProps {
  readonly action: BulkAction;
  readonly request: BulkRequest;
  readonly asked: number | null;
  readonly bulkId: string | null;
  readonly onBegun: (id: string) => void;
  readonly onClose: () => void;
}

export function BulkPanel({ action, request, asked, bulkId, onBegun, onClose }: BulkPanelProps) {
  return (
    <aside className={styles['side']} aria-label="Preview">
      <header>
        <div className="grow">
          <h2>{bulkId === null ? `What ${WORDS[action].noun} will touch` : 'How far it is'}</h2>
          <p className="dim s">
            {bulkId === null
              ? 'Counted just now. Nothing has been sent.'
              : 'The engine does one after the other.'}
          </p>
        </div>
        <Button look="quiet" isSmall icon="close" label="Close the preview" onClick={onClose} />
      </header>
      {bulkId === null ? (
        <Preview
          key={JSON.stringify(request)}
          request={request}
          action={action}
          asked={asked}
          onBegun={({ id }) => onBegun(id)}
          onClose={onClose}
        />
      ) : (
        <Progress id={bulkId} onClose={onClose} />
      )}
    </aside>
  );
}
