/* pages/audit/audit-page.tsx — who did what, newest first: filters in the address, the newest as they come, and the check of the chain. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';

import { auditQuery, type AuditRow, verifyAudit, type Verdict } from '../../api/audit';
import { auditAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/audit';
import { askedOf, type AuditFilter, parseFilter, printFilter } from './audit-filter';
import styles from './audit.module.css';
import { FilterForm } from './filter-form';
import { actionWords, detailWords, wayWord, whoWords } from './words';

const Cut = ({ text, isMono = false }: { readonly text: string; readonly isMono?: boolean }) => (
  <span className={`cut ${isMono ? 'mono' : ''} ${styles['name'] ?? ''}`} title={text}>
    <bdi>{text}</bdi>
  </span>
);

const COLUMNS: readonly Column<AuditRow>[] = [
  { key: 'at', head: t.when, cell: (row) => <Time at={row.at} /> },
  {
    key: 'who',
    head: t.who,
    cell: (row) => (
      <>
        <Cut text={whoWords(row.principal)} />
        {row.for !== undefined && <small className={styles['for']}>{t.for(<bdi>{row.for}</bdi>)}</small>}
      </>
    ),
  },
  { key: 'action', head: t.did, cell: (row) => actionWords(row.action) },
  { key: 'object', head: t.to, cell: (row) => <Cut text={row.object ?? ''} isMono /> },
  {
    key: 'outcome',
    head: t.outcome,
    cell: (row) => (
      <>
        <StatusMark
          status={row.outcome === 'refused' ? 'failed' : 'completed'}
          word={row.outcome === 'refused' ? t.refused : row.outcome === 'done' ? t.done : (row.outcome ?? '')}
          isSmall
        />
        {row.count !== undefined && <span className="dim s"> {t.times(formatCount(row.count))}</span>}
      </>
    ),
  },
  {
    key: 'details',
    head: t.details,
    isWide: true,
    cell: (row) => (
      <span className="mid" title={detailWords(row.details)}>
        <bdi>{detailWords(row.details)}</bdi>
      </span>
    ),
  },
  { key: 'way', head: t.by, isOptional: true, cell: (row) => wayWord(row.way ?? '') },
  { key: 'from', head: t.from, isOptional: true, cell: (row) => <Cut text={row.address ?? ''} isMono /> },
];

export function AuditPage() {
  useTitle(t.audit);
  useLive([]);
  const [, go] = useLocation();
  const [params] = useSearchParams();
  const [isFollowing, setFollowing] = useState(false);
  const filter = parseFilter(params);
  const cursor = params.get('cursor') ?? '';
  const list = useQuery(auditQuery(askedOf(filter, cursor), isFollowing && cursor === ''));
  const show = (next: AuditFilter, at = '') => {
    const query = printFilter(next);
    if (at !== '') query.set('cursor', at);
    go(auditAddress(query.toString()));
  };
  const follow = () => {
    setFollowing(!isFollowing);
    if (!isFollowing && cursor !== '') show(filter);
    announce(isFollowing ? t.theListStandsStill : t.newRowsAppearByThemselves);
  };
  return (
    <div className={styles['page']}>
      <div className={styles['head']}>
        <h1>{t.audit}</h1>
        <span className="grow" />
        <Button icon="pulse" isPressed={isFollowing} onClick={follow}>
          {t.follow}
        </Button>
        <Verify />
      </div>
      <FilterForm key={printFilter(filter).toString()} filter={filter} onFilter={(next) => show(next)} />
      {list.isPending && <Skeleton lines={8} />}
      {list.isError && <Failed what={t.theAudit} problem={list.error} onRetry={list.refetch} />}
      {list.data !== undefined && (
        <Rows
          rows={list.data.items}
          listKey={`${printFilter(filter).toString()} ${cursor}`}
          onFirst={cursor === '' ? null : () => show(filter)}
          onNext={list.data.nextCursor === undefined ? null : () => show(filter, list.data.nextCursor)}
        />
      )}
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly AuditRow[];
  readonly listKey: string;
  readonly onFirst: (() => void) | null;
  readonly onNext: (() => void) | null;
}

function Rows({ rows, listKey, onFirst, onNext }: RowsProps) {
  return (
    <section className="card">
      {rows.length === 0 ? (
        <Empty title={t.noRowFits}>{t.whatPeopleAndPrograms}</Empty>
      ) : (
        <div className={styles['scroll']}>
          <Table
            label={t.audit}
            rows={rows}
            listKey={listKey}
            columns={COLUMNS}
            keyOf={(row) => row.id}
            nameOf={(row) => `${whoWords(row.principal)}, ${actionWords(row.action)}, ${row.object ?? ''}`}
          />
        </div>
      )}
      {(onFirst !== null || onNext !== null) && (
        <footer className={styles['foot']}>
          {onFirst !== null && (
            <Button isSmall onClick={onFirst}>
              {t.newest}
            </Button>
          )}
          {onNext !== null && (
            <Button isSmall onClick={onNext}>
              {t.older}
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

function verdictWords({ checked, broken }: Verdict): string {
  if (broken !== undefined && broken !== '') return t.theChainIsBroken(broken);
  return t.theChainIsWholeNone(t.nRows(checked));
}

/** Looks at every row: has one been changed, or taken away? */
function Verify() {
  const verify = useMutation({
    mutationFn: verifyAudit,
    onSuccess: (verdict) => announce(verdictWords(verdict)),
  });
  const isBroken = verify.data?.broken !== undefined && verify.data.broken !== '';
  return (
    <>
      {verify.data !== undefined && (
        <StatusMark status={isBroken ? 'failed' : 'completed'} word={verdictWords(verify.data)} isSmall />
      )}
      {verify.isError && <Failed problem={verify.error} />}
      <Button icon="check" isBusy={verify.isPending} onClick={() => verify.mutate()}>
        {t.verify}
      </Button>
    </>
  );
}
