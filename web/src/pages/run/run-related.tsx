/* pages/run/run-related.tsx — the run's parent, children, and those that continue each other. */
import { Link } from 'wouter';

import type { Run } from '../../api/instances';
import { runAddress } from '../../ui/addresses';
import { Empty } from '../../ui/empty';
import { StatusMark } from '../../ui/status-mark';
import { t } from '../../texts/run';
import styles from './run.module.css';

interface Relative {
  readonly how: string;
  readonly id: string;
  readonly what?: string;
  readonly status?: string;
}

export function relativesOf(run: Run): Relative[] {
  const all: Relative[] = [];
  if (run.parent !== undefined) all.push({ how: t.wasStarted, id: run.parent.id });
  if (run.chainedFrom !== undefined) all.push({ how: t.continues, id: run.chainedFrom });
  if (run.chainedTo !== undefined)
    all.push({
      how: t.isContinued,
      id: run.chainedTo.id,
      what: run.chainedTo.definitionId,
      status: run.chainedTo.status,
    });
  for (const child of run.children)
    all.push({ how: t.started2, id: child.id, what: child.definitionId, status: child.status });
  return all;
}

export function RunRelated({ run }: { readonly run: Run }) {
  const all = relativesOf(run);
  if (all.length === 0) return <Empty title={t.thisRunStandsAlone}>{t.noOtherRunStarted}</Empty>;
  return (
    <ul className={styles['related']}>
      {all.map(({ how, id, what, status }) => (
        <li key={how + id}>
          <span className="mid">{how}</span>
          <Link href={runAddress(id)} className="link cut">
            {what ?? id}
          </Link>
          <span className="dim s mono cut">{what === undefined ? '' : id}</span>
          {status !== undefined && <StatusMark status={status} isSmall />}
        </li>
      ))}
      {run.childrenTotal !== undefined && run.childrenTotal > run.children.length && (
        <li className="dim">{t.andMore(run.childrenTotal - run.children.length)}</li>
      )}
    </ul>
  );
}
