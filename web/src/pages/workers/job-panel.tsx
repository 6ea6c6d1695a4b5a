/* pages/workers/job-panel.tsx — one kind of job: each worker with its last question and what it has in hand, and the last hour. */
import type { JobType } from '../../api/workers';
import { Button } from '../../ui/button';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/workers';
import { type Health, isGone, rateWords } from './job-health';
import styles from './workers.module.css';

interface JobPanelProps {
  readonly job: JobType;
  readonly health: Health;
  readonly now: number;
  readonly onClose: () => void;
}

export function JobPanel({ job, health, now, onClose }: JobPanelProps) {
  return (
    <aside className={styles['panel']} aria-label={t.theJob}>
      <header>
        <div className="grow">
          <h2 dir="auto">{job.jobType}</h2>
          <StatusMark status={health.status} word={health.word} isSmall />
        </div>
        <Button look="quiet" isSmall icon="close" label={t.closeTheJob} onClick={onClose} />
      </header>
      <section>
        <h3>{t.inTheLastHour}</h3>
        <p>{rateWords(job.doneLastHour, job.failedLastHour)}</p>
      </section>
      <section>
        <h3>{t.now}</h3>
        <p>
          {job.open === 0 ? t.noJobIsOpen : t.openOfThemInWork(t.nJobs(job.open), formatCount(job.leased))}
          {job.oldestAt !== undefined && <> {t.theOldestThatIsReady(<Time at={job.oldestAt} as="ago" />)}</>}
        </p>
      </section>
      <section>
        <h3>{t.whoTakes}</h3>
        {job.workers.length === 0 && <p className="mid">{t.nobodyHasAsked}</p>}
        <ul className={styles['workers']}>
          {job.workers.map(({ workerId, lastSeenAt, leased }) => (
            <li key={workerId}>
              <b className="m" dir="auto">
                {workerId}
              </b>
              <small>
                {t.asked(<Time at={lastSeenAt} as="ago" />)}
                {leased !== undefined && `, ${leased === 0 ? t.hasNoJob : t.has(t.nJobs(leased))}`}
                {isGone(lastSeenAt, now) && t.seemsToBeGone}
              </small>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}
