/* pages/run/run-head.tsx — which run this is, how it stands, what can be done. */
import { Link } from 'wouter';

import type { Run } from '../../api/instances';
import { flowAddress } from '../../ui/addresses';
import { CopyButton } from '../../ui/copy-button';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { formatDuration } from '../../ui/times';
import { useNow } from '../../ui/use-now';
import { t } from '../../texts/run';
import { RunActions } from './run-actions';
import styles from './run.module.css';

const ACTS_SHOWN = 4;

function Took({ run }: { readonly run: Run }) {
  const now = useNow();
  const ended = run.endedAt === undefined ? now : new Date(run.endedAt).getTime();
  const took = formatDuration(ended - new Date(run.startedAt).getTime());
  return (
    <span>
      {run.endedAt === undefined ? t.since : t.took} <b>{took}</b>
    </span>
  );
}

/* The person who started it, and what people did to it last. */
function Acts({ run }: { readonly run: Run }) {
  const acts = run.acts ?? [];
  const shown = acts.length > ACTS_SHOWN ? [...acts.slice(0, 1), ...acts.slice(1 - ACTS_SHOWN)] : acts;
  return shown.map((act) => (
    <span key={`${act.at} ${act.what} ${act.nodeId ?? ''}`}>
      {act.by === undefined ? (
        <>
          {t.acts[act.what]} <Time at={act.at} as="ago" />
        </>
      ) : (
        t.by(t.acts[act.what], <bdi>{act.by}</bdi>, <Time at={act.at} as="ago" />)
      )}
      {act.comment !== undefined && (
        <>
          {': '}
          <q dir="auto" title={act.comment}>
            {act.comment}
          </q>
        </>
      )}
    </span>
  ));
}

export function RunHead({ run }: { readonly run: Run }) {
  return (
    <div className={styles['top']}>
      <h1 className="cut" dir="auto" title={run.businessKey ?? run.id}>
        {run.businessKey ?? run.id}
      </h1>
      <StatusMark status={run.status} isPill />
      {run.isTest === true && <span className="tag">{t.test}</span>}
      <span className="grow" />
      <RunActions run={run} />
      <div className={styles['facts']}>
        <span className={styles['flow']}>
          <Link href={flowAddress(run.definitionId)} className="link cut">
            <bdi>{run.definitionName}</bdi>
          </Link>
          <span className="tag">v{run.definitionVersion}</span>
          {run.newestVersion > run.definitionVersion && <span>{t.newestIsV(run.newestVersion)}</span>}
        </span>
        <span>
          {t.started(
            <b>
              <Time at={run.startedAt} as="zoned" />
            </b>,
          )}
        </span>
        <Acts run={run} />
        <Took run={run} />
        {run.traceUrl !== undefined && (
          <a href={run.traceUrl} className="link" target="_blank" rel="noreferrer">
            {t.seeTheTrace}
          </a>
        )}
        {run.businessKey !== undefined && (
          <span className={styles['id']}>
            {t.id(<code>{run.id}</code>)}
            <CopyButton text={run.id} what={t.theId} />
          </span>
        )}
      </div>
    </div>
  );
}
