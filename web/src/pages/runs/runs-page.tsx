/* pages/runs/runs-page.tsx — runs, filtered by the address: status, flow, key, time, where and why. A deed on many of
 * them at once has a preview (bulk-panel.tsx). Rows do not jump: those that are shown change in their place, new ones wait. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';

import type { BulkAction } from '../../api/bulk';
import { type RunItem } from '../../api/instances';
import { runsQuery } from '../../api/runs';
import { runsAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useKeys } from '../../ui/keys';
import { useMay } from '../../ui/may';
import { parseFilter, printFilter, type RunFilter, startedAfter } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { useLive } from '../../ui/use-live';
import { useNow } from '../../ui/use-now';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/runs';
import { askedOf } from './asked';
import { BulkPanel, type SignalAsked } from './bulk-panel';
import { refusalOf, requestForFilter, requestForIds } from './bulk-request';
import { FilterBar } from './filter-bar';
import { HeldGroups } from './held-groups';
import { OpenBulks } from './open-bulks';
import styles from './runs.module.css';
import { RunsTable, toggled } from './runs-table';
import { type Rows, useRows } from './use-rows';
import { ViewTabs } from './view-tabs';

const ACTIONS: readonly BulkAction[] = ['retry', 'cancel', 'signal'];

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
        needs="instances:operate"
        disabled={why !== null}
        {...(why === null ? {} : { title: why })}
        onClick={() => onAct(action)}
      >
        {word}
      </Button>
    );
  };
  return (
    <div className={styles['bulk']} role="toolbar" aria-label={t.withTheseRuns}>
      <b>
        {chosen > 0
          ? t.selected(t.nRuns(chosen))
          : total === undefined
            ? t.allThatMatch
            : t.allThatMatch2(formatCount(total))}
      </b>
      <span className={`dim s ${styles['hide'] ?? ''}`}>{chosen > 0 ? '' : t.orSelectSomeOfThem}</span>
      <span className="grow" />
      {button('retry', t.retry2)}
      {button('signal', t.sendASignal)}
      {button('cancel', t.cancel2)}
      {chosen > 0 && (
        <Button look="quiet" onClick={onClear}>
          {t.clear}
        </Button>
      )}
    </div>
  );
}

/** The address of a list: its filter and what else is looked at. */
function queryOf(filter: RunFilter, extra: Readonly<Record<string, string | null>>): string {
  const params = new URLSearchParams(printFilter(filter));
  for (const [name, value] of Object.entries(extra)) if (value !== null) params.set(name, value);
  return params.toString();
}

/** "12 new": rows that came while somebody reads wait behind it. It stands where nothing has to make room for it. */
function FreshButton({ rows }: { readonly rows: Rows }) {
  const count = t.new(formatCount(rows.fresh), rows.isMoreFresh ? '+' : '');
  return (
    <span aria-live="polite">
      {rows.fresh > 0 && (
        <button type="button" className={styles['fresh']} onClick={rows.showFresh}>
          {count} <kbd>N</kbd>
        </button>
      )}
    </span>
  );
}

function focusRow(): void {
  document.querySelector<HTMLElement>('#runs [data-rove][tabindex="0"]')?.focus();
}

function signalOf(filter: RunFilter, rows: readonly RunItem[], chosen: ReadonlySet<string>): SignalAsked {
  const flows = new Set(rows.filter(({ id }) => chosen.has(id)).map(({ definitionId }) => definitionId));
  const [only = ''] = flows.size === 1 ? flows : [];
  return {
    definitionId: filter.definitionId === '' ? only : filter.definitionId,
    version: filter.version === '' ? 'latest' : Number(filter.version),
    step: filter.waitingAt,
    definitionIds: [...flows],
  };
}

export function RunsPage() {
  useTitle(t.runs2);
  useLive(['overview', 'instances', 'bulk']);
  const [params, setParams] = useSearchParams();
  const [, go] = useLocation();
  const now = useNow(60_000);
  const filter = useMemo(() => parseFilter(params), [params]);
  const cursor = params.get('cursor');
  const isGrouped = params.get('group') === 'held';
  const may = useMay();
  // The preview asks the engine as the deed does.
  const action = may('instances:operate')
    ? (ACTIONS.find((each) => each === params.get('do')) ?? null)
    : null;
  const bulkId = params.get('bulk');
  const after = startedAfter(filter, now);
  const query = useQuery({
    ...runsQuery({ ...askedOf(filter, after), ...(cursor === null ? {} : { cursor }) }),
    enabled: !isGrouped,
  });
  const listQuery = queryOf(filter, { cursor, group: isGrouped ? 'held' : null });
  const rows = useRows(listQuery, query.isPlaceholderData ? undefined : query.data);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
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
  const addressOf = (next: RunFilter, extra: Readonly<Record<string, string | null>> = {}) =>
    runsAddress(queryOf(next, extra));
  const show = (next: RunFilter) => {
    setChosen(new Set());
    go(addressOf(next, { group: isGrouped ? 'held' : null }));
  };
  const { showFresh } = rows;
  const keys = useMemo(
    () => [
      { key: 'f', says: t.addAFilter2, run: () => setFiltering(true) },
      {
        key: 'g',
        says: t.groupByWhatHoldsThem,
        run: () => put({ group: isGrouped ? null : 'held', cursor: null }),
      },
      { key: 'n', says: t.showTheNewOnes, run: showFresh },
      { key: 'j', says: t.nextRun, run: focusRow },
      { key: 'k', says: t.runBefore, run: focusRow },
      { key: 'Escape', says: t.selectNone, run: () => setChosen(new Set()) },
      { key: 'Space', says: t.selectTheRun },
      { key: 'Enter', says: t.openTheRun },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [isGrouped, rows],
  );
  useKeys(t.runs2, keys);
  const total = query.data?.total;
  const next = query.data?.nextCursor;
  const request =
    action === null
      ? null
      : chosen.size > 0
        ? requestForIds(action, [...chosen])
        : requestForFilter(action, filter, after);
  const hasSide = request !== null || bulkId !== null;
  const table = (shown: readonly RunItem[], isHeadless: boolean) => (
    <RunsTable
      rows={shown}
      gone={rows.gone}
      listKey={isHeadless ? listQuery : rows.key}
      isHeadless={isHeadless}
      isNarrow={hasSide}
      chosen={chosen}
      onChoose={setChosen}
    />
  );
  return (
    <div className={`bleed ${styles['runs'] ?? ''}`} data-side={hasSide}>
      <div className={styles['left']}>
        <div className={styles['head']}>
          <div className={styles['top']}>
            <h1>{t.runs2}</h1>
            <span className="dim" aria-live="polite">
              {isGrouped
                ? t.byWhatHoldsThem2
                : total === undefined
                  ? t.newestFirst
                  : t.matchNewestFirst(formatCount(total))}
            </span>
            {!isGrouped && <FreshButton rows={rows} />}
            <span className="grow" />
            <span className="seg" role="group" aria-label={t.showTheRuns}>
              <button
                type="button"
                aria-pressed={!isGrouped}
                onClick={() => put({ group: null, cursor: null })}
              >
                {t.list}
              </button>
              <button
                type="button"
                aria-pressed={isGrouped}
                onClick={() => put({ group: 'held', cursor: null })}
              >
                {t.byWhatHoldsThem}
              </button>
            </span>
          </div>
          <ViewTabs filter={filter} isGrouped={isGrouped} />
          <OpenBulks shown={bulkId} onShow={(id) => put({ bulk: id, do: null })} />
        </div>
        <FilterBar filter={filter} onChange={show} isOpen={isFiltering} onOpen={setFiltering} />
        {isGrouped ? (
          <div className={styles['scroll']} id="runs">
            <HeldGroups
              filter={filter}
              after={after}
              opened={opened}
              onToggle={(key) => setOpened(toggled(opened, key))}
              addressOf={(own, act) => addressOf(own, { do: act })}
            >
              {(shown) => table(shown, true)}
            </HeldGroups>
          </div>
        ) : (
          <>
            <div className={styles['scroll']} id="runs" aria-busy={query.isFetching}>
              {query.isPending && <Skeleton lines={12} />}
              {query.isError && rows.rows.length === 0 && (
                <Failed problem={query.error} onRetry={query.refetch} what={t.theRuns} />
              )}
              {query.isSuccess && rows.rows.length === 0 && (
                <Empty title={next === undefined ? t.noRunFits : t.noneAmongThoseLooked}>
                  {next !== undefined
                    ? t.theSearchCanGo
                    : printFilter(filter) === ''
                      ? t.runsAppearHereAsSoon
                      : t.takeAFilterAway}
                </Empty>
              )}
              {rows.rows.length > 0 && table(rows.rows, false)}
            </div>
            <div className={styles['cursor']}>
              <span>{t.shown(t.nRuns(rows.rows.length))}</span>
              <span className="grow" />
              {cursor !== null && (
                <>
                  <Button isSmall onClick={() => put({ cursor: null })}>
                    {t.newest}
                  </Button>
                  <Button isSmall onClick={() => history.back()}>
                    {t.before}
                  </Button>
                </>
              )}
              <Button isSmall disabled={next === undefined} onClick={() => put({ cursor: next ?? null })}>
                {t.next} <Icon name="right" small />
              </Button>
            </div>
          </>
        )}
        {(isGrouped ? chosen.size > 0 : rows.rows.length > 0) && (
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
          signal={signalOf(filter, rows.rows, chosen)}
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
