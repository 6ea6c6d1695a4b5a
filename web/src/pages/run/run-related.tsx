/* pages/run/run-related.tsx — the run's parent, children, and those that continue each other. */
import { Link } from 'wouter';

import type { Run } from '../../api/instances';
import { runAddress } from '../../ui/addresses';
import { Empty } from '../../ui/empty';
import { StatusMark } from '../../ui/status-mark';
import styles from './run.module.css';

interface Relative {
  readonly how: string;
  readonly id: string;
  readonly what?: string;
  readonly status?: string;
}

export function relativesOf(run: Run): Relative[] {
  const all: Relative[] = [];
  if (run.parent !== undefined) all.push({ how: 'Was started by', id: run.parent.id });
  if (run.chainedFrom !== undefined) all.push({ how: 'Continues', id: run.chainedFrom });
  if (run.chainedTo !== undefined)
    all.push({
      how: 'Is continued by',
      id: run.chainedTo.id,
      what: run.chainedTo.definitionId,
      status: run.chainedTo.status,
    });
  for (const child of run.children)
    all.push({ how: 'Started', id: child.id, what: child.definitionId, status: child.status });
  return all;
}

export function RunRelated({ run }: { readonly run: Run }) {
  const all = relativesOf(run);
  if (all.length === 0)
    return <Empty title="This run stands alone">No other run started it, and it started none.</Empty>;
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
        <li className="dim">and {run.childrenTotal - run.children.length} more</li>
      )}
    </ul>
  );
}
