/* pages/triggers/trigger-panel.tsx — one trigger: when it ticks next by two clocks, what arrived at it, and what can be done. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { arrivalsQuery, ticksQuery, type Trigger } from '../../api/triggers';
import { flowAddress, runAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Failed } from '../../ui/failed';
import { useMay, useMe } from '../../ui/may';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { kindWord } from '../../ui/trigger-words';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/triggers';
import { isOneClock, tickRows, yourZone } from './ticks';
import { ArrivalWhy } from './arrival-why';
import { TriggerState } from './trigger-state';
import styles from './triggers.module.css';
import { addressOf, countArrivals, outcomeLook } from './words';

const TICKS = 10;
const ARRIVALS = 10;

interface TriggerPanelProps {
  readonly trigger: Trigger;
  readonly isBusy: boolean;
  readonly onFire: () => void;
  readonly onToggle: () => void;
  readonly onClose: () => void;
  readonly arrivalsAddress: string;
}

export function TriggerPanel(props: TriggerPanelProps) {
  const { trigger, isBusy, onFire, onToggle, onClose, arrivalsAddress } = props;
  const may = useMay();
  const counts = countArrivals(trigger.counts);
  const address = addressOf(trigger, location.origin, useMe()?.tenant);
  const label = trigger.label ?? trigger.trigger;
  return (
    <aside className={styles['panel']} aria-label={t.theTrigger}>
      <header>
        <div className="grow">
          <h2 className="cut" dir="auto" title={label}>
            {label}
          </h2>
          <div className="row">
            <Link className="link s cut" href={flowAddress(trigger.definitionId)}>
              <bdi>{trigger.definitionName ?? trigger.definitionId}</bdi>
            </Link>
            <span className="tag">v{trigger.version}</span>
          </div>
        </div>
        <Button look="quiet" isSmall icon="close" label={t.closeTheTrigger} onClick={onClose} />
      </header>
      <div className={styles['body']}>
        <dl className={styles['facts']}>
          <div>
            <dt>{t.beginsWith}</dt>
            <dd>{kindWord(trigger.type)}</dd>
          </div>
          <div>
            <dt>{t.state}</dt>
            <dd>
              <TriggerState trigger={trigger} />
              {trigger.reason !== undefined && trigger.reason !== '' && <small>{trigger.reason}</small>}
            </dd>
          </div>
          {address !== null && (
            <div>
              <dt>{t.address}</dt>
              <dd className={styles['address']}>
                <code>{address}</code>
                <CopyButton text={address} what={t.theAddress} />
              </dd>
            </div>
          )}
          <div>
            <dt>{t.arrivals}</dt>
            <dd>
              {formatCount(counts.all)}
              {counts.wrong > 0 && t.ofThemWentWrong(formatCount(counts.wrong))}
              <small>{t.sinceTheEngineStarted}</small>
            </dd>
          </div>
        </dl>
        {trigger.type === 'cron' && <Ticks trigger={trigger} />}
        {may('instances:read') && <Arrived trigger={trigger} arrivalsAddress={arrivalsAddress} />}
      </div>
      <footer>
        <Button look="primary" needs="triggers:operate" onClick={onFire}>
          {t.sendOne2}
        </Button>
        <Button needs="triggers:operate" isBusy={isBusy} onClick={onToggle}>
          {trigger.state === 'paused' ? t.goOn : t.pause}
        </Button>
      </footer>
    </aside>
  );
}

function Ticks({ trigger }: { readonly trigger: Trigger }) {
  const query = useQuery(ticksQuery(trigger, TICKS));
  if (query.isPending) return <Skeleton lines={4} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.theNextTicks} />;
  const mine = yourZone();
  const rows = tickRows(query.data.items, mine);
  const hasOne = isOneClock(rows);
  return (
    <section>
      <h3>{trigger.state === 'paused' ? t.nextTicksIfItWere : t.nextTicks}</h3>
      {rows.length === 0 ? (
        <p className="mid s">{t.itDoesNotTickAny}</p>
      ) : (
        <table className={styles['ticks']} aria-label={t.nextTicks}>
          <thead>
            <tr>
              <th>{query.data.zone}</th>
              {!hasOne && <th>{t.yours(mine)}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, theirs, yours }) => (
              <tr key={at}>
                <td>{theirs}</td>
                {!hasOne && <td>{yours}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasOne && rows.length > 0 && <p className="dim s">{t.yourClockShowsTheSame}</p>}
    </section>
  );
}

function Arrived({
  trigger,
  arrivalsAddress,
}: {
  readonly trigger: Trigger;
  readonly arrivalsAddress: string;
}) {
  const query = useQuery(
    arrivalsQuery({ definitionId: trigger.definitionId, trigger: trigger.trigger, pageSize: ARRIVALS }),
  );
  if (query.isPending) return <Skeleton lines={3} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.theArrivals} />;
  return (
    <section>
      <h3>{t.whatArrivedLast}</h3>
      {query.data.items.length === 0 && <p className="mid s">{t.nothingHasArrivedYet}</p>}
      <ul className={styles['arrived']} aria-label={t.whatArrivedLast}>
        {query.data.items.map((arrival) => {
          const look = outcomeLook(arrival.outcome);
          return (
            <li key={arrival.number}>
              <span className="mid s">
                <Time at={arrival.at} />
              </span>
              <StatusMark status={look.status} word={look.word} isSmall />
              {arrival.instanceId !== undefined && (
                <Link className="link s" href={runAddress(arrival.instanceId)}>
                  {t.openTheRun}
                </Link>
              )}
              <small>
                <ArrivalWhy arrival={arrival} />
              </small>
            </li>
          );
        })}
      </ul>
      {query.data.nextCursor !== undefined && (
        <Link className="link s" href={arrivalsAddress}>
          {t.allThatArrivedHere}
        </Link>
      )}
    </section>
  );
}
