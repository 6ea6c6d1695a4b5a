/* pages/workers/workers-page.tsx — job types: who polls, what is open, how old it is, how often it fails; and what the engine does itself. */
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';

import { type JobType, type Performer, workersQuery } from '../../api/workers';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useNow } from '../../ui/use-now';
import { useTitle } from '../../ui/use-title';
import { formatCount, listWords } from '../../ui/words';
import { t } from '../../texts/workers';
import { failureWord, healthOf } from './job-health';
import { JobPanel } from './job-panel';
import styles from './workers.module.css';

const NAMES_MAX = 3;

function workerWords(job: JobType): string {
  const names = job.workers.map((worker) => worker.workerId);
  if (names.length === 0) return job.pollers > 0 ? t.nPollsWait(job.pollers) : t.nobody;
  const more = names.length - NAMES_MAX;
  return more > 0 ? t.andMore(names.slice(0, NAMES_MAX).join(', '), more) : listWords(names);
}

const PERFORMER_WORDS: Readonly<Record<string, string>> = {
  http: t.webServices,
  email: t.eMails,
  sql: t.databases,
  emit: t.eventsToOthers,
  compute: t.calculationMembers,
};

const PERFORMER_COLUMNS: readonly Column<Performer>[] = [
  {
    key: 'name',
    head: t.theEngineItself,
    isWide: true,
    cell: (row) => PERFORMER_WORDS[row.name] ?? row.name,
  },
  { key: 'done', head: t.done, isNumber: true, cell: (row) => formatCount(row.done) },
  { key: 'failed', head: t.failed, isNumber: true, cell: (row) => formatCount(row.failed) },
  { key: 'rate', head: t.fails, isNumber: true, cell: (row) => failureWord(row.done, row.failed) },
];

function jobColumns(now: number): readonly Column<JobType>[] {
  return [
    {
      key: 'type',
      head: t.job,
      cell: (row) => (
        <span className={`m cut ${styles['name'] ?? ''}`} title={row.jobType}>
          <bdi>{row.jobType}</bdi>
        </span>
      ),
    },
    {
      key: 'health',
      head: t.howItGoes,
      cell: (row) => {
        const { status, word } = healthOf(row, now);
        return <StatusMark status={status} word={word} isSmall />;
      },
    },
    {
      key: 'who',
      head: t.whoTakes,
      isWide: true,
      cell: (row) => (
        <span className="mid" title={workerWords(row)}>
          <bdi>{workerWords(row)}</bdi>
        </span>
      ),
    },
    { key: 'open', head: t.open, isNumber: true, cell: (row) => formatCount(row.open) },
    { key: 'leased', head: t.inWork, isNumber: true, cell: (row) => formatCount(row.leased) },
    {
      key: 'oldest',
      head: t.oldest,
      cell: (row) => (row.oldestAt === undefined ? '' : <Time at={row.oldestAt} as="ago" />),
    },
    {
      key: 'done',
      head: t.doneThisHour,
      isNumber: true,
      isOptional: true,
      cell: (row) => formatCount(row.doneLastHour),
    },
    {
      key: 'fails',
      head: t.fails,
      isNumber: true,
      cell: (row) => failureWord(row.doneLastHour, row.failedLastHour),
    },
  ];
}

export function WorkersPage() {
  useTitle(t.workers);
  useLive(['workers', 'overview']);
  const [params, setParams] = useSearchParams();
  const workers = useQuery(workersQuery());
  const now = useNow();
  const chosen = workers.data?.jobTypes.find(({ jobType }) => jobType === params.get('job'));
  const show = (job: string | null) => setParams(job === null ? {} : { job }, { replace: true });
  return (
    <div className={`bleed ${styles['page'] ?? ''}`} data-side={chosen !== undefined}>
      <div className={styles['left']}>
        <h1>{t.workers}</h1>
        {workers.isPending && <Skeleton lines={6} />}
        {workers.isError && <Failed what={t.theWorkers} problem={workers.error} onRetry={workers.refetch} />}
        {workers.data !== undefined && (
          <>
            {workers.data.jobTypes.length === 0 ? (
              <Empty title={t.noWorkerHasAsked}>{t.aFlowWithWork}</Empty>
            ) : (
              <section className="card">
                <div className={styles['scroll']}>
                  <Table
                    label={t.kindsOfJobs}
                    rows={workers.data.jobTypes}
                    columns={jobColumns(now)}
                    keyOf={(row) => row.jobType}
                    nameOf={(row) => `${row.jobType}, ${healthOf(row, now).word}`}
                    onOpen={(row) => show(row.jobType)}
                  />
                </div>
              </section>
            )}
            {workers.data.cut === true && <p className="dim s">{t.thereAreMoreKinds}</p>}
            {workers.data.performers.length > 0 && (
              <section className="card">
                <Table
                  label={t.whatTheEngineDoesItself}
                  rows={workers.data.performers}
                  columns={PERFORMER_COLUMNS}
                  keyOf={(row) => row.name}
                  nameOf={(row) => PERFORMER_WORDS[row.name] ?? row.name}
                />
              </section>
            )}
          </>
        )}
      </div>
      {chosen !== undefined && (
        <JobPanel job={chosen} health={healthOf(chosen, now)} now={now} onClose={() => show(null)} />
      )}
    </div>
  );
}
