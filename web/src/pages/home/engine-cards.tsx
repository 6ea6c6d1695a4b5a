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
import { sayPhrase } from '../../texts/engine';
import { t } from '../../texts/home';
import styles from './home.module.css';

type Health = Overview['health'][number];

const NAMES: { readonly [K in Health['name']]: string } = {
  queue: t.queue,
  store: t.store,
  disk: t.disk,
  timers: t.timers,
  workers: t.workers,
  nodes: t.nodes,
};
const STATES = {
  well: { look: 'done', icon: 'done', word: t.well },
  look: { look: 'person', icon: 'warn', word: t.look },
  bad: { look: 'failed', icon: 'failed', word: t.bad },
} as const;

/** Holds all starts, which everybody feels: the dialog says first what goes on and what does not. */
function PauseButton({ isPaused }: { readonly isPaused: boolean }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const pause = useMutation({
    mutationFn: (wanted: boolean) => pauseEngine(wanted),
    onSuccess: async (_, wanted) => {
      setAsking(false);
      announce(wanted ? t.startsArePaused : t.newRunsBeginAgain);
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
        {isPaused ? t.letNewRunsBegin : t.pauseStarts}
      </Button>
      {!isAsking && pause.isError && <Failed problem={pause.error} />}
      {isAsking && (
        <Dialog
          title={t.pauseAllStarts}
          onClose={() => setAsking(false)}
          onSubmit={() => pause.mutate(true)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{t.back}</Button>
              <Button look="danger" type="submit" isBusy={pause.isPending}>
                {t.pauseStarts2}
              </Button>
            </>
          }
        >
          <p className="mid">{t.newRunsOfAllFlows}</p>
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
        <h2>{t.engine}</h2>
        <span className="count">
          {t.versionUp(
            overview.engine.version,
            formatRough(now - new Date(overview.engine.startedAt).getTime()),
          )}
        </span>
        <span className="end">
          <PauseButton isPaused={overview.engine.paused} />
        </span>
      </header>
      <dl className={styles['health']}>
        {overview.health.map(({ name, state, sentence }) => {
          const { look, icon, word } = STATES[state];
          const says = sayPhrase('health', sentence) || sentence;
          return (
            <div key={name}>
              <dt>{NAMES[name]}</dt>
              <dd title={says}>{says}</dd>
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

const rate = (value: number) => t.min(value < 10 ? Number(value.toFixed(1)) : formatCount(Math.round(value)));

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
        <span>{t.max(top)}</span>
      </div>
    </figure>
  );
}

function Plots({ series }: { readonly series: Series['series'] }) {
  return (
    <div className={styles['plots']}>
      <SmallPlot
        word={t.started}
        value={rate(rateNow(series.started))}
        values={series.started}
        top={formatCount(most(series.started))}
      />
      <SmallPlot
        word={t.finished}
        value={rate(rateNow(series.completed))}
        values={series.completed}
        top={formatCount(most(series.completed))}
      />
      <SmallPlot
        word={t.failed}
        value={formatCount(sum(series.failed))}
        values={series.failed}
        top={t.aMinute(formatCount(most(series.failed)))}
        isBad
      />
      <SmallPlot
        word={t.commit95Of100}
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
        <h2>{t.lastHour}</h2>
        {query.isSuccess && (
          <span className="count">{t.toByMinute(formatMinute(from), formatMinute(from + 3_600_000))}</span>
        )}
      </header>
      {query.isPending && <Skeleton lines={6} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.theLastHour} />}
      {query.isSuccess && <Plots series={query.data.series} />}
      {query.isSuccess && known(query.data.series.started).length === 0 && <p>{t.moreTenantsAreAtWork}</p>}
    </section>
  );
}
