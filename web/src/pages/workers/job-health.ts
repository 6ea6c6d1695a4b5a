/* pages/workers/job-health.ts — whether a job type is looked after, in words. Pure. */
import type { JobType } from '../../api/workers';
import { formatRough } from '../../ui/times';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/workers';

/** A job that is ready for longer has nobody who takes it in time. */
const LATE_MS = 60_000;
/** A worker that has not asked for longer is gone. */
const GONE_MS = 5 * 60_000;

export interface Health {
  readonly status: 'completed' | 'waiting' | 'failed' | 'running';
  readonly word: string;
}

export function isGone(lastSeenAt: string, now: number): boolean {
  return now - new Date(lastSeenAt).getTime() >= GONE_MS;
}

export function healthOf(job: JobType, now: number): Health {
  const isSeen = job.workers.some((worker) => !isGone(worker.lastSeenAt, now));
  const isServed = job.pollers > 0 || job.leased > 0 || isSeen;
  const waitedMs = job.oldestAt === undefined ? 0 : now - new Date(job.oldestAt).getTime();
  if (job.open > 0 && !isServed) return { status: 'failed', word: t.nobodyTakesThem };
  if (waitedMs > LATE_MS) return { status: 'waiting', word: t.behindBy(formatRough(waitedMs)) };
  if (job.open > 0) return { status: 'running', word: t.atWork };
  return isServed ? { status: 'completed', word: t.ready } : { status: 'waiting', word: t.noWorker };
}

/** The share of the last hour's ends that failed: "3 %"; empty if nothing ended. */
export function failureWord(done: number, failed: number): string {
  if (done + failed === 0) return '';
  const percent = (100 * failed) / (done + failed);
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

/** The last hour in words: "8 done, 2 failed: every fifth try". */
export function rateWords(done: number, failed: number): string {
  if (done + failed === 0) return t.nothingWasDone;
  if (failed === 0) return t.doneNoneFailed(formatCount(done));
  const each = (done + failed) / failed;
  const how = each < 1.2 ? t.nearlyEveryTry : t.oneTry(formatCount(Math.round(each)));
  return t.doneFailed(formatCount(done), formatCount(failed), done === 0 ? t.everyTry : how);
}
