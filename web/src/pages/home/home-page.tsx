/* pages/home/home-page.tsx — what needs somebody, first; then how the engine is. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { type Overview, overviewQuery } from '../../api/operate';
import { runsAddress } from '../../ui/addresses';
import { Failed } from '../../ui/failed';
import { printFilter } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { formatWhole } from '../../ui/times';
import { useLive } from '../../ui/use-live';
import { useNow } from '../../ui/use-now';
import { useTitle } from '../../ui/use-title';
import { formatCount, lookOf, type Status } from '../../ui/words';
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
  const inHour = (says: string) => (uncounted === true ? 'the last hour is not counted' : says);
  const late = `${formatCount(tasks.late)} of their tasks ${tasks.late === 1 ? 'is' : 'are'} late`;
  return [
    {
      status: 'failed',
      count: counts.failed,
      says: inHour(`${formatCount(lastHour.failed)} in the last hour`),
    },
    { status: 'person', count: counts.person, says: late },
    { status: 'waiting', count: counts.waiting, says: 'for a time or an event' },
    {
      status: 'running',
      count: counts.running,
      says: inHour(`${formatCount(lastHour.started)} started in the hour`),
    },
    {
      status: 'completed',
      when: 'this hour',
      count: lastHour.completed,
      says: inHour('in the last 60 minutes'),
    },
    { status: 'cancelled', count: lastHour.cancelled, says: inHour('in the last 60 minutes') },
  ];
}

/** A bar of all runs that are not over, by status; each cell leads to its runs. */
function Strip({ overview }: { readonly overview: Overview }) {
  const cells = cellsOf(overview);
  const open = cells.slice(0, 4).filter(({ count }) => count > 0);
  const total = open.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className={`card ${styles['strip'] ?? ''}`} aria-label="Runs by status">
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
  return <>{formatWhole(now).replace(/:\d\d$/, '')}</>;
}

export function HomePage() {
  useLive(['overview', 'instances', 'tasks', 'definitions']);
  const query = useQuery(overviewQuery());
  const title = query.data === undefined ? 'Home' : headline(query.data);
  useTitle(title === 'Home' ? title : `Home: ${title}`);
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
        <Failed problem={query.error} onRetry={query.refetch} what="The counts" />
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
