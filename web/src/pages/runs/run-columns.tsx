/* pages/runs/run-columns.tsx — the columns of the list of runs. */
import { Link } from 'wouter';

import type { RunItem } from '../../api/instances';
import { runAddress } from '../../ui/addresses';
import { Said } from '../../ui/said';
import { StatusMark } from '../../ui/status-mark';
import type { Column } from '../../ui/table';
import { Teeth } from '../../ui/teeth';
import { Time } from '../../ui/time';
import { sayWait } from '../../texts/engine';
import { t } from '../../texts/runs';
import styles from './runs.module.css';

export const nameOf = (run: RunItem) => run.businessKey ?? run.id;

/** `gone`: runs that were shown before they moved on. `onLeave`: a link to a run is followed. */
export const runColumns = (gone: ReadonlySet<string>, onLeave: () => void): readonly Column<RunItem>[] => [
  {
    key: 'key',
    head: t.key,
    cell: (run, tabIndex) => (
      <Link
        href={runAddress(run.id)}
        className={`m cut ${styles['name'] ?? ''}`}
        tabIndex={tabIndex}
        title={nameOf(run)}
        onClick={onLeave}
      >
        <bdi>{nameOf(run)}</bdi>
      </Link>
    ),
  },
  { key: 'status', head: t.status, cell: (run) => <StatusMark status={run.status} isSmall /> },
  {
    key: 'flow',
    head: t.flow,
    cell: (run) => (
      <span className={styles['flow']}>
        <span className="cut" title={run.definitionName}>
          <bdi>{run.definitionName}</bdi>
        </span>
        <span className="tag">v{run.definitionVersion}</span>
        {run.isTest === true && <span className="tag">{t.test}</span>}
      </span>
    ),
  },
  {
    key: 'why',
    head: t.whatHolds,
    isWide: true,
    cell: (run) =>
      gone.has(run.id) ? (
        <span className="dim s">{t.hasMoved}</span>
      ) : (
        <span className="mid s cut" title={sayWait(run.says) || run.why}>
          <Said text={sayWait(run.says) || run.why} />
        </span>
      ),
  },
  {
    key: 'visits',
    head: t.visitsSoFar,
    isOptional: true,
    cell: (run) => (
      <span className={styles['tooth']}>
        <Teeth visits={run.visits ?? 0} states={run.nodes.map(({ state }) => state)} />
        <span className="dim s">{run.visits === undefined ? t.many : t.nVisits(run.visits)}</span>
      </span>
    ),
  },
  {
    key: 'started',
    head: t.started,
    isNumber: true,
    cell: (run) => (
      <span className="mid">
        <Time at={run.startedAt} />
      </span>
    ),
  },
];
