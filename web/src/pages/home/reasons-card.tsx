/* pages/home/reasons-card.tsx — runs that failed, grouped by why; one click to each group, one to retry it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { type ReasonGroup, reasonsQuery } from '../../api/instances';
import { runsAddress } from '../../ui/addresses';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { MayLink } from '../../ui/may-link';
import { Plot } from '../../ui/plot';
import { printFilter } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { formatCount } from '../../ui/words';
import { sayFailure } from '../../texts/engine';
import { t } from '../../texts/home';
import styles from './home.module.css';

const SHOWN = 8;

/** Whether the engine's sentence says what the reason says: mostly it leaves out a code, and the end of a long one. */
function isSaid(reason: string, sentence: string): boolean {
  return reason.toLowerCase().includes(sentence.replace(/…$/, '').slice(0, 80).toLowerCase());
}

function Group({ group }: { readonly group: ReasonGroup }) {
  const query = printFilter({ status: ['failed'], reason: group.reason ?? '' });
  const sentence =
    sayFailure(group.reasonCode) ||
    (group.sentence ?? group.exampleReason ?? group.reason ?? t.forNoReasonGiven);
  return (
    <tr>
      <td>
        <Link href={runsAddress(query)} className={`b ${styles['sentence'] ?? ''}`}>
          <bdi>{sentence}</bdi>
        </Link>
        <div className={styles['where']}>
          {group.nodeTitle !== undefined && (
            <>
              <span className="mid cut">
                <bdi>{group.nodeTitle}</bdi>
              </span>
              <span>{t.in}</span>
            </>
          )}
          {group.definitionName === undefined ? (
            <span className="mid">{t.severalFlows}</span>
          ) : (
            <span className="mid cut">
              <bdi>{group.definitionName}</bdi>
            </span>
          )}
          {group.definitionVersion !== undefined && <span className="tag">v{group.definitionVersion}</span>}
          {group.exampleReason !== undefined && !isSaid(group.exampleReason, sentence) && (
            <span className="cut" lang={group.reasonCode === undefined ? undefined : 'en'}>
              · {group.exampleReason}
            </span>
          )}
        </div>
      </td>
      <td className={styles['bars']}>
        {group.bars !== undefined && <Plot values={group.bars} isBars isBad height={24} />}
      </td>
      <td className={styles['many']}>{formatCount(group.count)}</td>
      <td className="dim s">
        <Time at={group.lastAt} as="ago" />
      </td>
      <td>
        <MayLink href={runsAddress(`${query}&do=retry`)} needs="instances:operate" className="btn small">
          <Icon name="retry" small />
          {t.retry(formatCount(group.count))}
        </MayLink>
      </td>
    </tr>
  );
}

export function ReasonsCard() {
  const query = useQuery(reasonsQuery());
  return (
    <section className="card">
      <header>
        <h2>{t.failedByReason}</h2>
        <span className="count">{t.aBarIs5Minutes}</span>
        {query.isSuccess && query.data.total > 0 && (
          <span className="end">
            <Link className="link s" href={runsAddress(printFilter({ status: ['failed'] }))}>
              {t.allInRuns(formatCount(query.data.total))}
            </Link>
          </span>
        )}
      </header>
      {query.isPending && <Skeleton lines={4} />}
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.theReasons} />}
      {query.isSuccess && query.data.groups.length === 0 && (
        <Empty title={t.noRunHasFailed}>{t.whenOneDoesItsReason}</Empty>
      )}
      {query.isSuccess && query.data.groups.length > 0 && (
        <table className={`${styles['list'] ?? ''} ${styles['fails'] ?? ''}`}>
          <thead className="sr">
            <tr>
              <th>{t.reason}</th>
              <th>{t.when}</th>
              <th>{t.runs}</th>
              <th>{t.last}</th>
              <th>{t.do}</th>
            </tr>
          </thead>
          <tbody>
            {query.data.groups.slice(0, SHOWN).map((group) => (
              <Group key={group.reason ?? ''} group={group} />
            ))}
          </tbody>
        </table>
      )}
      {query.isSuccess && query.data.groupCount > SHOWN && (
        <p className={styles['rest']}>{t.and(t.nMoreReasons(query.data.groupCount - SHOWN))}</p>
      )}
    </section>
  );
}
