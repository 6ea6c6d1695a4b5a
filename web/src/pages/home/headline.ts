/* pages/home/headline.ts — the title of the home page: what needs somebody, as a sentence. */
import type { Overview } from '../../api/operate';
import { listWords } from '../../ui/words';
import { t } from '../../texts/home';

export function headline({ counts, tasks }: Pick<Overview, 'counts' | 'tasks'>): string {
  const parts: string[] = [];
  if (counts.failed > 0) parts.push(t.nRunsFailed(counts.failed));
  if (tasks.late > 0) parts.push(t.nTasksAreLate(tasks.late));
  return parts.length === 0 ? t.nothingNeedsYou : listWords(parts);
}

type Below = Pick<Overview, 'counts' | 'tasks' | 'health'> & {
  readonly engine: Pick<Overview['engine'], 'paused'>;
};

/** Nothing moves by itself that waits for a worker or for the end of a pause. */
export function subline({ counts, tasks, health, engine }: Below): string {
  if (engine.paused) return t.startsWait;
  if (health.some(({ name, state }) => name === 'workers' && state !== 'well')) return t.jobsWaitForAWorker;
  if (counts.failed + tasks.late > 0) return t.everythingElseMoves;
  const moving = counts.waiting + counts.running;
  if (counts.person > 0) return t.nRunsWaitForPeople(counts.person);
  return moving > 0 ? t.nRunsOnTheWay(moving) : t.noRun;
}
