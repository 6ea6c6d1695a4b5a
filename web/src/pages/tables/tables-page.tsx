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
import { formatCount, plural } from '../../ui/words';
import styles from './tables.module.css';
import { policyWord } from './words';

const addressOf = ({ definitionId, stepId }: TableSummary) => tableAddress(definitionId, stepId);

function Names({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <span className="dim">nothing</span>;
  return <bdi title={names.join(', ')}>{names.join(', ')}</bdi>;
}

const COLUMNS: readonly Column<TableSummary>[] = [
  {
    key: 'title',
    head: 'Table',
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
    head: 'Flow',
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
        {row.isDraft && <span className="tag">draft</span>}
      </span>
    ),
  },
  {
    key: 'looks',
    head: 'Looks at',
    isWide: true,
    cell: ({ conditions, results }) => (
      <span className="mid">
        <Names names={conditions} /> <Icon name="right" small /> <Names names={results} />
      </span>
    ),
  },
  { key: 'policy', head: 'Takes', isOptional: true, cell: ({ hitPolicy }) => policyWord(hitPolicy) },
  { key: 'rows', head: 'Rows', isNumber: true, cell: ({ rules }) => formatCount(rules) },
  {
    key: 'problems',
    head: 'Checks',
    cell: ({ problems }) =>
      problems === 0 ? (
        <StatusMark status="completed" word="Nothing found" isSmall />
      ) : (
        <span className="st s person">
          <Icon name="warn" small />
          {plural(problems, 'finding')}
        </span>
      ),
  },
];

export function TablesPage() {
  useTitle('Decision tables');
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
        <h1>Decision tables</h1>
        <input
          className={`in ${styles['keyword'] ?? ''}`}
          type="search"
          placeholder="Find by flow"
          aria-label="Find tables by their flow"
          defaultValue={keyword}
          onChange={({ target: { value } }) =>
            setParams(value === '' ? {} : { keyword: value }, { replace: true })
          }
        />
      </div>
      {query.isPending && <Skeleton lines={6} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what="The tables" />}
      {query.isSuccess && rows.length === 0 && !query.hasNextPage && (
        <Empty title={keyword === '' ? 'No flow has a decision table yet' : 'No table of such a flow'}>
          A flow in the steps format has one as a step of type DECISION_TABLE.
        </Empty>
      )}
      {rows.length > 0 && (
        <section className="card">
          <div className={styles['scroll']}>
            <Table
              label="Decision tables"
              rows={rows}
              columns={COLUMNS}
              keyOf={({ definitionId, stepId }) => `${definitionId}\n${stepId}`}
              nameOf={({ title, definitionName }) => `${title} of ${definitionName}`}
              {...(may('definitions:write') ? { onOpen: (row: TableSummary) => go(addressOf(row)) } : {})}
            />
          </div>
        </section>
      )}
      {query.hasNextPage && (
        <p className={styles['more']}>
          <Button isSmall isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            More
          </Button>
        </p>
      )}
    </>
  );
}
