/* pages/home/attention-cards.tsx — tasks that are late, and flows whose authors should look at them. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { definitionsQuery } from '../../api/definitions';
import { lateTasksQuery } from '../../api/operate';
import { flowAddress, flowsAddress, inboxAddress } from '../../ui/addresses';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Time } from '../../ui/time';
import { useNow } from '../../ui/use-now';
import { formatCount, listWords } from '../../ui/words';
import { sayProblem } from '../../texts/engine';
import { t } from '../../texts/home';
import styles from './home.module.css';

const SHOWN = 5;

/** Nothing is shown where nothing is late. */
export function LateTasksCard({ open, late }: { readonly open: number; readonly late: number }) {
  const now = useNow(60_000);
  const before = new Date(Math.floor(now / 60_000) * 60_000 + 60_000).toISOString();
  const query = useQuery({ ...lateTasksQuery(before), enabled: late > 0 });
  if (late === 0) return null;
  return (
    <section className="card">
      <header>
        <h2>{t.lateTasks}</h2>
        <span className="count">{t.ofOpen(formatCount(late), formatCount(open))}</span>
        <span className="end">
          <Link className="link s" href={inboxAddress()}>
            {t.allTasks}
          </Link>
        </span>
      </header>
      {query.isError && <Failed problem={query.error} onRetry={query.refetch} what={t.theLateTasks} />}
      <table className={styles['list']} aria-label={t.lateTasks}>
        <tbody>
          {query.data?.items.map((task) => (
            <tr key={task.id}>
              <td className={`m ${styles['wide'] ?? ''}`}>
                <Link href={inboxAddress(task.id)} className="cut">
                  <bdi>{task.title}</bdi>
                </Link>
              </td>
              <td className={`dim s ${styles['narrow'] ?? ''}`}>
                <span className="cut">
                  <bdi>{task.definitionId}</bdi>
                </span>
              </td>
              <td className={styles['narrow']}>
                <span className="st mid s">
                  <Icon name="person" small />
                  <span className="cut">
                    <bdi>{task.assignee ?? (listWords(task.groups) || t.anybody)}</bdi>
                  </span>
                </span>
              </td>
              <td>
                <span className="st failed s">
                  <Icon name="waiting" small />
                  {task.due !== undefined && <Time at={task.due} as="due" />}
                </span>
              </td>
              <td>
                <Link href={inboxAddress(task.id)} className="btn small" aria-label={t.open(task.title)}>
                  {t.open2}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function WarningsCard() {
  const query = useInfiniteQuery(definitionsQuery('', true));
  const flows = query.data?.pages[0]?.items ?? [];
  if (query.isError)
    return <Failed problem={query.error} onRetry={query.refetch} what={t.flowsWithWarnings} />;
  if (flows.length === 0) return null;
  return (
    <section className="card">
      <header>
        <h2>{t.flowsWithWarnings}</h2>
        <span className="count">{query.hasNextPage ? t.someOfThem : formatCount(flows.length)}</span>
        <span className="end">
          <Link className="link s" href={flowsAddress}>
            {t.allFlows}
          </Link>
        </span>
      </header>
      <table className={styles['list']} aria-label={t.flowsWithWarnings}>
        <tbody>
          {flows.slice(0, SHOWN).map((flow) => (
            <tr key={flow.definitionId}>
              <td className={`m ${styles['narrow'] ?? ''}`}>
                <Link href={flowAddress(flow.definitionId)} className={styles['named']}>
                  <span className="cut">
                    <bdi>{flow.name}</bdi>
                  </span>
                  <span className="tag">v{flow.version}</span>
                </Link>
              </td>
              <td className={`mid s ${styles['wide'] ?? ''}`}>
                <span className="cut">{sayProblem(flow.firstWarningCode ?? '') || flow.firstWarning}</span>
              </td>
              <td>
                <Link
                  href={flowAddress(flow.definitionId)}
                  className="btn small"
                  aria-label={t.open3(flow.name)}
                >
                  {t.open2}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
