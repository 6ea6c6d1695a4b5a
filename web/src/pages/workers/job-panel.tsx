/* pages/workers/job-panel.tsx — one kind of job: each worker with its last question and what it has in hand, and the last hour. */
import type { JobType } from '../../api/workers';
import { Button } from '../../ui/button';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { formatCount, plural } from '../../ui/words';
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
    <aside className={styles['panel']} aria-label="The job">
      <header>
        <div className="grow">
          <h2 dir="auto">{job.jobType}</h2>
          <StatusMark status={health.status} word={health.word} isSmall />
        </div>
        <Button look="quiet" isSmall icon="close" label="Close the job" onClick={onClose} />
      </header>
      <section>
        <h3>In the last hour</h3>
        <p>{rateWords(job.doneLastHour, job.failedLastHour)}</p>
      </section>
      <section>
        <h3>Now</h3>
        <p>
          {job.open === 0
            ? 'No job is open.'
            : `${plural(job.open, 'job')} open, ${formatCount(job.leased)} of them in work.`}
          {job.oldestAt !== undefined && (
            <>
              {' '}
              The oldest that is ready came <Time at={job.oldestAt} as="ago" />.
            </>
          )}
        </p>
      </section>
      <section>
        <h3>Who takes it</h3>
        {job.workers.length === 0 && <p className="mid">Nobody has asked for it in the last hour.</p>}
        <ul className={styles['workers']}>
          {job.workers.map(({ workerId, lastSeenAt, leased }) => (
            <li key={workerId}>
              <b className="m" dir="auto">
                {workerId}
              </b>
              <small>
                asked <Time at={lastSeenAt} as="ago" />
                {leased !== undefined && `, ${leased === 0 ? 'has no job' : `has ${plural(leased, 'job')}`}`}
                {isGone(lastSeenAt, now) && ', seems to be gone'}
              </small>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}
