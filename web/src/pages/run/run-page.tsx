/* pages/run/run-page.tsx — one run: why it waits, its path on the picture, the data of each visit, all visits on the clock.
 * The visit, the tab and the scale that somebody looks at are in the address. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';

import { type Run, runQuery, type Visit, visitsQuery } from '../../api/instances';
import { pictureQuery } from '../../api/pictures';
import { runAddress, runsAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Crumbs } from '../../ui/crumbs';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useKeys } from '../../ui/keys';
import { PictureView } from '../../ui/picture-view';
import { type Place, trailOf } from '../../ui/run-trail';
import { Skeleton } from '../../ui/skeleton';
import { Teeth } from '../../ui/teeth';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/run';
import { marksOf, standingNode } from './marks';
import { NodeAbout } from './node-about';
import { RunData } from './run-data';
import { RunHead } from './run-head';
import { relativesOf, RunRelated } from './run-related';
import { RunWhy } from './run-why';
import styles from './run.module.css';
import { Timeline } from './timeline';
import { VisitData } from './visit-data';

const TABS = ['timeline', 'data', 'related'] as const;
type Tab = (typeof TABS)[number];
const TAB_WORDS: { readonly [K in Tab]: string } = {
  timeline: t.timeline,
  data: t.dataNow,
  related: t.relatedRuns,
};

/** The number of the visit that the address names, else of the last one where the run stands, else of the last one. It need not be among
 * those that are loaded, which may be the last ones only. */
export function chosenVisit(
  run: Run,
  visits: readonly Visit[],
  asked: string | null,
  hasEarlier: boolean,
): number | null {
  const named = visits.find((visit) => String(visit.number) === asked)?.number;
  const earlier = hasEarlier && /^[1-9]\d{0,9}$/.test(asked ?? '') ? Number(asked) : undefined;
  const standing = run.nodes[standingNode(run) ?? '']?.lastVisit;
  return named ?? earlier ?? standing ?? visits[visits.length - 1]?.number ?? null;
}

function withParams(
  before: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes))
    if (value === null) next.delete(name);
    else next.set(name, value);
  return next;
}

function Path({
  run,
  selected,
  last,
  onSelect,
}: {
  readonly run: Run;
  readonly selected: string | null;
  /** The step that was visited last. */
  readonly last: string | null;
  readonly onSelect: (id: string) => void;
}) {
  const picture = useQuery(pictureQuery(run.definitionId, run.definitionVersion));
  return (
    <section className={`card ${styles['map'] ?? ''}`}>
      <header>
        <h2>{t.path}</h2>
        <span className="count">{t.nVisits(run.visits ?? 0)}</span>
        <Teeth visits={run.visits ?? 0} states={run.why.map(({ state }) => state)} />
        <span className={`end ${styles['key'] ?? ''}`} aria-hidden="true">
          <span>
            <i />
            {t.taken}
          </span>
          <span>
            <i className={styles['idle']} />
            {t.notTaken}
          </span>
        </span>
      </header>
      {picture.isPending && <Skeleton lines={8} />}
      {picture.isError && <Failed problem={picture.error} onRetry={picture.refetch} what={t.thePicture} />}
      {picture.isSuccess && (
        <PictureView
          picture={picture.data}
          label={t.pictureOfTheRunVersion(run.definitionVersion)}
          marks={marksOf(run)}
          selected={selected}
          onSelect={onSelect}
          showFirst={standingNode(run) ?? last}
        />
      )}
    </section>
  );
}

function RunBody({ run }: { readonly run: Run }) {
  const [params, setParams] = useSearchParams();
  const query = useInfiniteQuery(visitsQuery(run.id));
  // The engine brings the last ones first, and people read time from above.
  const visits = (query.data?.pages.flatMap((page) => page.items) ?? []).reverse();
  const earlier = query.hasNextPage ? Math.max(0, (run.visits ?? 0) - visits.length) : 0;
  const picture = useQuery(pictureQuery(run.definitionId, run.definitionVersion));
  const nodes = new Map(picture.data?.nodes.map((node) => [node.id, node]));
  const titles = new Map(picture.data?.nodes.map(({ id, title }) => [id, title]));
  const number = chosenVisit(run, visits, params.get('visit'), query.hasNextPage);
  const at = visits.findIndex((visit) => visit.number === number);
  const shownNode =
    visits[at]?.nodeId ?? Object.keys(run.nodes).find((id) => run.nodes[id]?.lastVisit === number) ?? null;
  const tab = TABS.find((each) => each === params.get('tab')) ?? 'timeline';
  const isByClock = params.get('scale') !== 'work';
  const put = (name: string, value: string | null) =>
    setParams((before) => withParams(before, { [name]: value }), { replace: true });
  const asked = nodes.get(params.get('step') ?? '');
  // A step that was never visited can be looked at, too: the address names the step instead of a visit.
  const unvisited = asked === undefined || run.nodes[asked.id] !== undefined ? null : asked;
  const showVisit = (number: number) =>
    setParams((before) => withParams(before, { visit: String(number), step: null }), { replace: true });
  const showNode = (nodeId: string) => {
    const last = run.nodes[nodeId]?.lastVisit ?? visits.findLast((each) => each.nodeId === nodeId)?.number;
    if (last !== undefined) showVisit(last);
    else setParams((before) => withParams(before, { step: nodeId, visit: null }), { replace: true });
  };
  return (
    <>
      <RunWhy run={run} onShow={showNode} />
      <div className={styles['grid']}>
        <Path
          run={run}
          selected={unvisited?.id ?? shownNode}
          last={visits[visits.length - 1]?.nodeId ?? null}
          onSelect={showNode}
        />
        <div className={styles['stack']}>
          <section className={`card ${styles['data'] ?? ''}`}>
            {unvisited !== null && picture.data !== undefined && (
              <NodeAbout run={run} node={unvisited} picture={picture.data} onShow={showNode} />
            )}
            {unvisited === null && number !== null && (
              <VisitData
                runId={run.id}
                number={number}
                place={at === -1 ? null : earlier + at + 1}
                titles={titles}
              />
            )}
            {query.isPending && number === null && <Skeleton lines={4} />}
            {query.isSuccess && unvisited === null && number === null && (
              <Empty title={t.nothingHasBeenVisitedYet} />
            )}
          </section>
          <section className="card">
            <header>
              <div className="tabs" role="group" aria-label={t.partsOfTheRun}>
                {TABS.map((each) => (
                  <button
                    key={each}
                    type="button"
                    {...(each === tab ? { 'aria-current': true as const } : {})}
                    onClick={() => put('tab', each === 'timeline' ? null : each)}
                  >
                    {TAB_WORDS[each]}
                    {each === 'related' && <span className="n">{relativesOf(run).length}</span>}
                  </button>
                ))}
              </div>
              {tab === 'timeline' && (
                <span className="end">
                  <span className="seg" role="group" aria-label={t.scale}>
                    <button type="button" aria-pressed={isByClock} onClick={() => put('scale', null)}>
                      {t.byTheClock}
                    </button>
                    <button type="button" aria-pressed={!isByClock} onClick={() => put('scale', 'work')}>
                      {t.withoutWaiting}
                    </button>
                  </span>
                </span>
              )}
            </header>
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keys. */}
            <div className={styles['scroll']} tabIndex={tab === 'timeline' ? -1 : 0}>
              {tab === 'timeline' && query.isError && (
                <Failed problem={query.error} onRetry={query.refetch} what={t.theVisits} />
              )}
              {tab === 'timeline' && query.hasNextPage && (
                <p className={styles['more']}>
                  <Button
                    isSmall
                    isBusy={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {t.earlierVisits}
                  </Button>
                </p>
              )}
              {tab === 'timeline' && query.isSuccess && (
                <Timeline
                  visits={visits}
                  isOver={run.endedAt !== undefined}
                  isByClock={isByClock}
                  selected={unvisited === null ? number : null}
                  nodes={nodes}
                  onSelect={showVisit}
                />
              )}
              {tab === 'data' && (
                <div className={styles['padded']}>
                  {run.variablesOmitted === true ? (
                    <p className="mid">{t.theDataAreTooLarge}</p>
                  ) : (
                    <RunData value={run.variables} titles={titles} empty={t.theRunHasNoData} />
                  )}
                </div>
              )}
              {tab === 'related' && <RunRelated run={run} />}
            </div>
          </section>
        </div>
      </div>
    </>
  );
}

/** The next run and the one before, of the list that one came from. */
function Neighbours({ place }: { readonly place: Place }) {
  const [, go] = useLocation();
  const keys = useMemo(() => {
    const to = (id: string | null) => () => {
      if (id !== null) go(runAddress(id), { replace: true });
    };
    return [
      { key: 'j', says: t.nextRunOfTheList, run: to(place.next) },
      { key: 'k', says: t.runBeforeInTheList, run: to(place.before) },
    ];
  }, [place.next, place.before, go]);
  useKeys(t.aRun, keys);
  const link = (id: string | null, label: string, icon: 'up' | 'down') =>
    id === null ? (
      <span className="btn quiet small icon" aria-hidden="true" data-off>
        <Icon name={icon} small />
      </span>
    ) : (
      <Link replace href={runAddress(id)} className="btn quiet small icon" aria-label={label} title={label}>
        <Icon name={icon} small />
      </Link>
    );
  return (
    <span className={styles['neighbours']}>
      <span className="dim s">{t.of(place.at, place.count)}</span>
      {link(place.before, t.runBeforeK, 'up')}
      {link(place.next, t.nextRunJ, 'down')}
    </span>
  );
}

export function RunPage() {
  const id = useParam('id');
  const place = useMemo(() => trailOf(id), [id]);
  useLive(['overview', `instances/${id}`]);
  const query = useQuery(runQuery(id));
  const name = query.data?.businessKey ?? id;
  useTitle(name);
  return (
    <div className={`bleed ${styles['run'] ?? ''}`}>
      <Crumbs path={[{ word: t.runs, href: runsAddress(place?.query) }]} here={name}>
        {place !== null && <Neighbours place={place} />}
      </Crumbs>
      {query.isPending && <Skeleton lines={6} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.thisRun} />}
      {query.data !== undefined && (
        <>
          <RunHead run={query.data} />
          <RunBody run={query.data} />
        </>
      )}
    </div>
  );
}
