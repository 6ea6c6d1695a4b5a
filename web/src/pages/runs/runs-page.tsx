/* pages/runs/runs-page.tsx — runs, filtered by the address: status, flow, key, time, where and why. What is done to many of
 * them at once is shown first (bulk-panel.tsx). Rows do not jump: a page is asked for again in its place. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';

import type { BulkAction } from '../../api/bulk';
import { type RunItem } from '../../api/instances';
import { type RunsAsked, runsQuery } from '../../api/runs';
import { runAddress, runsAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useKeys } from '../../ui/keys';
import { parseFilter, printFilter, type RunFilter, startedAfter, TEXT_NAMES } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { useLive } from '../../ui/use-live';
import { useNow } from '../../ui/use-now';
import { useTitle } from '../../ui/use-title';
import { formatCount, plural } from '../../ui/words';
import { BulkPanel } from './bulk-panel';
import { refusalOf, requestForFilter, requestForIds } from './bulk-request';
import { FilterBar } from './filter-bar';
import { nameOf, RUN_COLUMNS } from './run-columns';
import styles from './runs.module.css';
import { ViewTabs } from './view-tabs';

const ACTIONS: readonly BulkAction[] = ['retry', 'cancel', 'signal'];

function askedOf(filter: RunFilter, cursor: string | null, after: string | undefined): RunsAsked {
  const texts = Object.fromEntries(
    TEXT_NAMES.filter((name) => filter[name] !== '' && name !== 'version').map((name) => [
      name,
      filter[name],
    ]),
  );
  return {
    ...texts,
    ...(filter.version === '' ? {} : { version: Number(filter.version) }),
    ...(filter.status.length === 0 ? {} : { status: filter.status.join(',') }),
    ...(after === undefined ? {} : { startedAfter: after }),
    ...(cursor === null ? {} : { cursor }),
  };
}

interface BulkBarProps {
  readonly chosen: number;
  readonly total: number | undefined;
  readonly filter: RunFilter;
  readonly onAct: (action: BulkAction) => void;
  readonly onClear: () => void;
}

/** With none chosen the actions are for all that the filter lets through. */
function BulkBar({ chosen, total, filter, onAct, onClear }: BulkBarProps) {
  const refusal = (action: BulkAction) => (chosen > 0 ? null : refusalOf(filter, action));
  const button = (action: BulkAction, word: string) => {
    const why = refusal(action);
    return (
      <Button
        key={action}
        look={action === 'cancel' ? 'danger' : 'plain'}
        icon={action === 'retry' ? 'retry' : action === 'cancel' ? 'cancelled' : 'signal'}
        disabled={why !== null}
        {...(why === null ? {} : { title: why })}
        onClick={() => onAct(action)}
      >
        {word}
      </Button>
    );
  };
  return (
    <div className={styles['bulk']} role="toolbar" aria-label="With these runs">
      <b>
        {chosen > 0
          ? `${plural(chosen, 'run')} selected`
          : total === undefined
            ? 'All that match'
            : `All ${formatCount(total)} that match`}
      </b>
      <span className={`dim s ${styles['hide'] ?? ''}`}>{chosen > 0 ? '' : 'or select some of them'}</span>
      <span className="grow" />
      {button('retry', 'Retry…')}
      {button('signal', 'Send a signal…')}
      {button('cancel', 'Cancel…')}
      {chosen > 0 && (
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}

export function RunsPage() {
  useTitle('Runs');
  useLive(['overview', 'instances', 'bulk']);
  const [params, setParams] = useSearchParams();
  const [, go] = useLocation();
  const now = useNow(60_000);
  const filter = useMemo(() => parseFilter(params), [params]);
  const cursor = params.get('cursor');
  const action = ACTIONS.find((each) => each === params.get('do')) ?? null;
  const bulkId = params.get('bulk');
  const after = startedAfter(filter, now);
  const query = useQuery(runsQuery(askedOf(filter, cursor, after)));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isFiltering, setFiltering] = useState(false);
  const put = (changes: Readonly<Record<string, string | null>>, isReplacing = false) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value === null) next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: isReplacing },
    );
  const show = (next: RunFilter) => {
    setChosen(new Set());
    go(runsAddress(printFilter(next)));
  };
  const keys = useMemo(
    () => [
      { key: 'f', says: 'Add a filter', run: () => setFiltering(true) },
      { key: 'Escape', says: 'Select none', run: () => setChosen(new Set()) },
      { key: 'Space', says: 'Select the run' },
      { key: 'Enter', says: 'Open the run' },
    ],
    [setChosen, setFiltering],
  );
  useKeys('Runs', keys);
  const rows: readonly RunItem[] = query.data?.items ?? [];
  const ids = rows.map(({ id }) => id);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const toggleAll = () =>
    setChosen(ids.every((id) => chosen.has(id)) ? new Set() : new Set([...chosen, ...ids]));
  const total = query.data?.total;
  const next = query.data?.nextCursor;
  const request =
    action === null
      ? null
      : chosen.size > 0
        ? requestForIds(action, [...chosen])
        : requestForFilter(action, filter, after);
  return (
    <div className={`bleed ${styles['runs'] ?? ''}`} data-side={request !== null || bulkId !== null}>
      <div className={styles['left']}>
        <div className={styles['head']}>
          <div className={styles['top']}>
            <h1>Runs</h1>
            <span className="dim" aria-live="polite">
              {total === undefined ? 'newest first' : `${formatCount(total)} match, newest first`}
            </span>
          </div>
          <ViewTabs filter={filter} />
        </div>
        <FilterBar filter={filter} onChange={show} isOpen={isFiltering} onOpen={setFiltering} />
        <div className={styles['scroll']} aria-busy={query.isFetching}>
          {query.isPending && <Skeleton lines={12} />}
          {query.isError && rows.length === 0 && (
            <Failed problem={query.error} onRetry={query.refetch} what="The runs" />
          )}
          {query.isSuccess && rows.length === 0 && (
            <Empty title={next === undefined ? 'No run fits' : 'None among those looked at'}>
              {next !== undefined
                ? 'The search can go on with older runs.'
                : printFilter(filter) === ''
                  ? 'Runs appear here as soon as a flow is started.'
                  : 'Take a filter away to see more.'}
            </Empty>
          )}
          {rows.length > 0 && (
            <Table
              label="Runs"
              rows={rows}
              columns={RUN_COLUMNS}
              keyOf={({ id }) => id}
              nameOf={nameOf}
              onOpen={({ id }) => go(runAddress(id))}
              selection={{ keys: chosen, onToggle: toggle, onToggleAll: toggleAll }}
            />
          )}
        </div>
        <div className={styles['cursor']}>
          <span>{plural(rows.length, 'run')} shown</span>
          <span className="grow" />
          {cursor !== null && (
            <>
              <Button isSmall onClick={() => put({ cursor: null })}>
                Newest
              </Button>
              <Button isSmall onClick={() => history.back()}>
                Before
              </Button>
            </>
          )}
          <Button isSmall disabled={next === undefined} onClick={() => put({ cursor: next ?? null })}>
            Next <Icon name="right" small />
          </Button>
        </div>
        {rows.length > 0 && (
          <BulkBar
            chosen={chosen.size}
            total={total}
            filter={filter}
            onAct={(act) => put({ do: act, bulk: null }, true)}
            onClear={() => setChosen(new Set())}
          />
        )}
      </div>
      {(request !== null || bulkId !== null) && (
        <BulkPanel
          action={action ?? 'retry'}
          request={request ?? { action: 'retry' }}
          asked={chosen.size > 0 ? chosen.size : null}
          bulkId={bulkId}
          onBegun={(id) => {
            setChosen(new Set());
            put({ bulk: id }, true);
          }}
          onClose={() => put({ do: null, bulk: null }, true)}
        />
      )}
    </div>
  );
}
