/* pages/home/home-page.tsx — what needs somebody, first; then how the engine is. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { type Overview, overviewQuery } from '../../api/operate';
import { runsAddress } from '../../ui/addresses';
import { Failed } from '../../ui/failed';
import { printFilter } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { formatDay } from '../../ui/times';
import { useLive } from '../../ui/use-live';
import { useNow } from '../../ui/use-now';
import { useTitle } from '../../ui/use-title';
import { formatCount, lookOf, type Status } from '../../ui/words';
import { t } from '../../texts/home';
import { LateTasksCard, WarningsCard } from './attention-cards';
import { EngineCard, HourCard } from './engine-cards';
import { headline, subline } from './headline';
import styles from './home.module.css';
import { ReasonsCard } from './reasons-card';

interface Cell {
  readonly status: Status;
  /** Behind the status's own word. */
  readonly when?: string;
  readonly count: number;
  readonly says: string;
}

function cellsOf({ counts, tasks, lastHour, uncounted }: Overview): Cell[] {
  const inHour = (says: string) => (uncounted === true ? t.theLastHour2 : says);
  const late = t.nOfTheirTasks(tasks.late);
  return [
    {
      status: 'failed',
      count: counts.failed,
      says: inHour(t.inTheLastHour(formatCount(lastHour.failed))),
    },
    { status: 'person', count: counts.person, says: late },
    { status: 'waiting', count: counts.waiting, says: t.forATime },
    {
      status: 'running',
      count: counts.running,
      says: inHour(t.startedInTheHour(formatCount(lastHour.started))),
    },
    {
      status: 'completed',
      when: t.thisHour,
      count: lastHour.completed,
      says: inHour(t.inTheLast60Minutes),
    },
    { status: 'cancelled', count: lastHour.cancelled, says: inHour(t.inTheLast60Minutes) },
  ];
}

/** A bar of all runs that are not over, by status; each cell leads to its runs. */
function Strip({ overview }: { readonly overview: Overview }) {
  const cells = cellsOf(overview);
  const open = cells.slice(0, 4).filter(({ count }) => count > 0);
  const total = open.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className={`card ${styles['strip'] ?? ''}`} aria-label={t.runsByStatus}>
      <div className={styles['share']} aria-hidden="true">
        {open.map(({ status, count }) => (
          <i
            key={status}
            className={lookOf(status).look}
            style={{ flexGrow: Math.max(count, total / 100) }}
          />
        ))}
      </div>
      {cells.map(({ status, when, count, says }) => (
        <Link
          key={status}
          href={runsAddress(
            printFilter({
              status: [status],
              ...(['completed', 'cancelled'].includes(status) ? { started: '24h' } : {}),
            }),
          )}
        >
          <StatusMark
            status={status}
            {...(when === undefined ? {} : { word: `${lookOf(status).word} ${when}` })}
            isSmall
          />
          <b>{formatCount(count)}</b>
          <small>{says}</small>
        </Link>
      ))}
    </section>
  );
}

function Today() {
  const now = useNow(60_000);
  return <>{formatDay(now)}</>;
}

export function HomePage() {
  useLive(['overview', 'instances', 'tasks', 'definitions']);
  const query = useQuery(overviewQuery());
  const title = query.data === undefined ? t.home : headline(query.data);
  useTitle(title === t.home ? title : t.home2(title));
  return (
    <>
      <div className={styles['lead']}>
        <h1>{title}</h1>
        <p>
          {query.data !== undefined && subline(query.data)} <Today />
        </p>
      </div>
      {query.isPending && <Skeleton lines={3} />}
      {query.isError && query.data === undefined && (
        <Failed problem={query.error} onRetry={query.refetch} what={t.theCounts} />
      )}
      {query.data !== undefined && <Strip overview={query.data} />}
      <div className={styles['cols']}>
        <div className={styles['col']}>
          <ReasonsCard />
          {query.data !== undefined && (
            <LateTasksCard open={query.data.tasks.open} late={query.data.tasks.late} />
          )}
          <WarningsCard />
        </div>
        <div className={styles['col']}>
          {query.data !== undefined && <EngineCard overview={query.data} />}
          <HourCard />
        </div>
      </div>
    </>
  );
}
