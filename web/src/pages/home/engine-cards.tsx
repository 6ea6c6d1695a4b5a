/* pages/home/engine-cards.tsx — the engine's own health in words, and the last hour as small plots. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { type Overview, pauseEngine, type Series, seriesQuery } from '../../api/operate';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Plot } from '../../ui/plot';
import { Skeleton } from '../../ui/skeleton';
import { formatDuration, formatMinute, formatRough } from '../../ui/times';
import { useNow } from '../../ui/use-now';
import { formatCount } from '../../ui/words';
import styles from './home.module.css';

type Health = Overview['health'][number];

const NAMES: { readonly [K in Health['name']]: string } = {
  queue: 'Queue',
  store: 'Store',
  disk: 'Disk',
  timers: 'Timers',
  workers: 'Workers',
  nodes: 'Nodes',
};
const STATES = {
  well: { look: 'done', icon: 'done', word: 'Well' },
  look: { look: 'person', icon: 'warn', word: 'Look' },
  bad: { look: 'failed', icon: 'failed', word: 'Bad' },
} as const;

/** Holds all starts, which everybody feels: the dialog says first what goes on and what does not. */
function PauseButton({ isPaused }: { readonly isPaused: boolean }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const pause = useMutation({
    mutationFn: (wanted: boolean) => pauseEngine(wanted),
    onSuccess: async (_, wanted) => {
      setAsking(false);
      announce(wanted ? 'Starts are paused.' : 'New runs begin again.');
      await queries.invalidateQueries({ queryKey: ['overview'] });
    },
  });
  return (
    <>
      <Button
        isSmall
        needs="global:admin"
        isBusy={pause.isPending}
        onClick={() => (isPaused ? pause.mutate(false) : setAsking(true))}
      >
        {isPaused ? 'Let new runs begin' : 'Pause starts…'}
      </Button>
      {!isAsking && pause.isError && <Failed problem={pause.error} />}
      {isAsking && (
        <Dialog
          title="Pause all starts?"
          onClose={() => setAsking(false)}
          onSubmit={() => pause.mutate(true)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Back</Button>
              <Button look="danger" type="submit" isBusy={pause.isPending}>
                Pause starts
              </Button>
            </>
          }
        >
          <p className="mid">
            New runs of all flows are made and wait, whoever starts them. What has begun goes on. The pause
            outlives a restart of the engine, until somebody lets new runs begin.
          </p>
          {pause.isError && <Failed problem={pause.error} />}
        </Dialog>
      )}
    </>
  );
}

export function EngineCard({ overview }: { readonly overview: Overview }) {
  const now = useNow(60_000);
  return (
    <section className="card">
      <header>
        <h2>Engine</h2>
        <span className="count">
          version {overview.engine.version}, up{' '}
          {formatRough(now - new Date(overview.engine.startedAt).getTime())}
        </span>
        <span className="end">
          <PauseButton isPaused={overview.engine.paused} />
        </span>
      </header>
      <dl className={styles['health']}>
        {overview.health.map(({ name, state, sentence }) => {
          const { look, icon, word } = STATES[state];
          return (
            <div key={name}>
              <dt>{NAMES[name]}</dt>
              <dd title={sentence}>{sentence}</dd>
              <dd className={`st ${look}`}>
                <Icon name={icon} />
                {word}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
const sum = (values: readonly (number | null)[]) => known(values).reduce((total, value) => total + value, 0);
const most = (values: readonly (number | null)[]) => Math.max(0, ...known(values));

/** The mean of the last five whole minutes, which is what "now" means for a rate; of a young engine, what there is. */
export function rateNow(values: readonly (number | null)[]): number {
  const whole = known(values.slice(-6, -1));
  const last = whole.length > 0 ? whole : known(values.slice(-1));
  return last.length === 0 ? 0 : last.reduce((total, value) => total + value, 0) / last.length;
}

const rate = (value: number) =>
  `${value < 10 ? Number(value.toFixed(1)) : formatCount(Math.round(value))} / min`;

interface SmallPlotProps {
  readonly word: string;
  readonly value: string;
  readonly values: readonly (number | null)[];
  readonly top: string;
  readonly isBad?: boolean;
}

function SmallPlot({ word, value, values, top, isBad = false }: SmallPlotProps) {
  return (
    <figure>
      <figcaption>
        {word}
        <b>{value}</b>
      </figcaption>
      <Plot values={values} isBars={isBad} isBad={isBad} />
      <div className={styles['ends']}>
        <span>0</span>
        <span>max {top}</span>
      </div>
    </figure>
  );
}

function Plots({ series }: { readonly series: Series['series'] }) {
  return (
    <div className={styles['plots']}>
      <SmallPlot
        word="Started"
        value={rate(rateNow(series.started))}
        values={series.started}
        top={formatCount(most(series.started))}
      />
      <SmallPlot
        word="Finished"
        value={rate(rateNow(series.completed))}
        values={series.completed}
        top={formatCount(most(series.completed))}
      />
      <SmallPlot
        word="Failed"
        value={formatCount(sum(series.failed))}
        values={series.failed}
        top={`${formatCount(most(series.failed))} a minute`}
        isBad
      />
      <SmallPlot
        word="Commit, 95 of 100"
        value={formatDuration(rateNow(series.commitMs95))}
        values={series.commitMs95}
        top={formatDuration(most(series.commitMs95))}
      />
    </div>
  );
}

export function HourCard() {
  const query = useQuery(seriesQuery());
  const from = query.data === undefined ? 0 : new Date(query.data.from).getTime();
  return (
    <section className="card">
      <header>
        <h2>Last hour</h2>
        {query.isSuccess && (
          <span className="count">
            {formatMinute(from)} to {formatMinute(from + 3_600_000)}, by minute
          </span>
        )}
      </header>
      {query.isPending && <Skeleton lines={6} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what="The last hour" />}
      {query.isSuccess && <Plots series={query.data.series} />}
      {query.isSuccess && known(query.data.series.started).length === 0 && (
        <p>More tenants are at work than the engine counts by the minute: this one is not counted.</p>
      )}
    </section>
  );
}
