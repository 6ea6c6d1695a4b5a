/* pages/tables/tables-page.tsx — every decision table of every flow, published or draft. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';

import { type TableSummary, tablesQuery } from '../../api/tables';
import { flowAddress, tableAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useMay } from '../../ui/may';
import { MayLink } from '../../ui/may-link';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/tables';
import styles from './tables.module.css';
import { policyWord } from './words';

const addressOf = ({ definitionId, stepId }: TableSummary) => tableAddress(definitionId, stepId);

function Names({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <span className="dim">{t.looksAtNothing}</span>;
  return <bdi title={names.join(', ')}>{names.join(', ')}</bdi>;
}

const COLUMNS: readonly Column<TableSummary>[] = [
  {
    key: 'title',
    head: t.table,
    cell: (row, tabIndex) => (
      <MayLink
        className={`link cut ${styles['name'] ?? ''}`}
        needs="definitions:write"
        tabIndex={tabIndex}
        href={addressOf(row)}
        title={row.title}
      >
        <bdi>{row.title}</bdi>
      </MayLink>
    ),
  },
  {
    key: 'flow',
    head: t.flow,
    cell: (row, tabIndex) => (
      <span className={styles['flow']}>
        {row.version === undefined ? (
          <bdi className="cut">{row.definitionName}</bdi>
        ) : (
          <Link
            className="cut"
            tabIndex={tabIndex}
            href={flowAddress(row.definitionId)}
            title={row.definitionName}
          >
            <bdi>{row.definitionName}</bdi>
          </Link>
        )}
        {row.version !== undefined && <span className="tag">v{row.version}</span>}
        {row.isDraft && <span className="tag">{t.draft}</span>}
      </span>
    ),
  },
  {
    key: 'looks',
    head: t.looksAt,
    isWide: true,
    cell: ({ conditions, results }) => (
      <span className="mid">
        <Names names={conditions} /> <Icon name="right" small /> <Names names={results} />
      </span>
    ),
  },
  { key: 'policy', head: t.takes, isOptional: true, cell: ({ hitPolicy }) => policyWord(hitPolicy) },
  { key: 'rows', head: t.rows, isNumber: true, cell: ({ rules }) => formatCount(rules) },
  {
    key: 'problems',
    head: t.checks,
    cell: ({ problems }) =>
      problems === 0 ? (
        <StatusMark status="completed" word={t.nothingFound} isSmall />
      ) : (
        <span className="st s person">
          <Icon name="warn" small />
          {t.nFindings(problems)}
        </span>
      ),
  },
];

export function TablesPage() {
  useTitle(t.decisionTables);
  useLive(['definitions', 'drafts']);
  const [params, setParams] = useSearchParams();
  const [, go] = useLocation();
  const may = useMay();
  const keyword = params.get('keyword') ?? '';
  const query = useInfiniteQuery(tablesQuery(keyword));
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <div className={styles['head']}>
        <h1>{t.decisionTables}</h1>
        <input
          className={`in ${styles['keyword'] ?? ''}`}
          type="search"
          placeholder={t.findByFlow}
          aria-label={t.findTablesByTheirFlow}
          defaultValue={keyword}
          onChange={({ target: { value } }) =>
            setParams(value === '' ? {} : { keyword: value }, { replace: true })
          }
        />
      </div>
      {query.isPending && <Skeleton lines={6} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.theTables} />}
      {query.isSuccess && rows.length === 0 && !query.hasNextPage && (
        <Empty title={keyword === '' ? t.noFlowHasADecision : t.noTableOfSuch}>{t.aFlowInTheSteps}</Empty>
      )}
      {rows.length > 0 && (
        <section className="card">
          <div className={styles['scroll']}>
            <Table
              label={t.decisionTables}
              rows={rows}
              columns={COLUMNS}
              keyOf={({ definitionId, stepId }) => `${definitionId}\n${stepId}`}
              nameOf={({ title, definitionName }) => t.of(title, definitionName)}
              {...(may('definitions:write') ? { onOpen: (row: TableSummary) => go(addressOf(row)) } : {})}
            />
          </div>
        </section>
      )}
      {query.hasNextPage && (
        <p className={styles['more']}>
          <Button isSmall isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t.more}
          </Button>
        </p>
      )}
    </>
  );
}
