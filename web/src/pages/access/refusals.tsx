/* pages/access/refusals.tsx — the last refusals, with the reasons that those who were refused are not told. */
import { useQuery } from '@tanstack/react-query';

import { type Refusal, refusalsQuery } from '../../api/access';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import styles from './access.module.css';
import { Name } from './record-list';

const COLUMNS: readonly Column<Refusal>[] = [
  { key: 'at', head: 'When', cell: (row) => <Time at={row.at} /> },
  {
    key: 'why',
    head: 'Why',
    isWide: true,
    cell: (row) => (
      <span title={row.why}>
        <bdi>{row.why}</bdi>
      </span>
    ),
  },
  { key: 'who', head: 'Who', cell: (row) => <Name text={row.principal ?? 'unknown'} /> },
  { key: 'asked', head: 'Asked for', cell: (row) => <Name text={row.asked ?? ''} isMono /> },
  { key: 'from', head: 'From', isOptional: true, cell: (row) => <Name text={row.address ?? ''} isMono /> },
];

export function Refusals() {
  const list = useQuery(refusalsQuery());
  if (list.isPending) return <Skeleton lines={5} />;
  if (list.isError) return <Failed what="The refusals" problem={list.error} onRetry={list.refetch} />;
  // Two can have the same time; the place tells them apart.
  const rows = list.data.map((row, at) => ({ ...row, key: `${at} ${row.at}` }));
  return (
    <>
      <div className={styles['lead']}>
        <p className="mid">
          The last 200 of this node. A stranger hears the same of each; the true reason is only here.
        </p>
        <Button icon="retry" isBusy={list.isFetching} onClick={() => void list.refetch()}>
          Ask again
        </Button>
      </div>
      <section className="card">
        {rows.length === 0 ? (
          <Empty title="Nothing was refused">Since the engine started.</Empty>
        ) : (
          <div className={styles['scroll']}>
            <Table
              label="Refusals"
              rows={rows}
              columns={COLUMNS}
              keyOf={(row) => row.key}
              nameOf={(row) => `${row.why}, ${row.principal ?? 'unknown'}`}
            />
          </div>
        )}
      </section>
    </>
  );
}
