/* pages/access/refusals.tsx — the last refusals, with the reasons that those who were refused are not told. */
import { useQuery } from '@tanstack/react-query';

import { type Refusal, refusalsQuery } from '../../api/access';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { t } from '../../texts/access';
import styles from './access.module.css';
import { Name } from './record-list';
import { sayReason } from './words';

const COLUMNS: readonly Column<Refusal>[] = [
  { key: 'at', head: t.when, cell: (row) => <Time at={row.at} /> },
  {
    key: 'why',
    head: t.why,
    isWide: true,
    cell: (row) => (
      <span title={sayReason(row.why)}>
        <bdi>{sayReason(row.why)}</bdi>
      </span>
    ),
  },
  { key: 'who', head: t.who, cell: (row) => <Name text={row.principal ?? t.unknown} /> },
  { key: 'asked', head: t.askedFor, cell: (row) => <Name text={row.asked ?? ''} isMono /> },
  { key: 'from', head: t.from, isOptional: true, cell: (row) => <Name text={row.address ?? ''} isMono /> },
];

export function Refusals() {
  const list = useQuery(refusalsQuery());
  if (list.isPending) return <Skeleton lines={5} />;
  if (list.isError) return <Failed what={t.theRefusals} problem={list.error} onRetry={list.refetch} />;
  // Two can have the same time; the place tells them apart.
  const rows = list.data.map((row, at) => ({ ...row, key: `${at} ${row.at}` }));
  return (
    <>
      <div className={styles['lead']}>
        <p className="mid">{t.theLast200}</p>
        <Button icon="retry" isBusy={list.isFetching} onClick={() => void list.refetch()}>
          {t.askAgain}
        </Button>
      </div>
      <section className="card">
        {rows.length === 0 ? (
          <Empty title={t.nothingWasRefused}>{t.sinceTheEngineStarted}</Empty>
        ) : (
          <div className={styles['scroll']}>
            <Table
              label={t.refusals}
              rows={rows}
              columns={COLUMNS}
              keyOf={(row) => row.key}
              nameOf={(row) => `${sayReason(row.why)}, ${row.principal ?? t.unknown}`}
            />
          </div>
        )}
      </section>
    </>
  );
}
