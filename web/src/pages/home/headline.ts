/* pages/home/headline.ts — the title of the home page: what needs somebody, as a sentence. */
import type { Overview } from '../../api/operate';
import { listWords, plural } from '../../ui/words';

export function headline({ counts, tasks }: Pick<Overview, 'counts' | 'tasks'>): string {
  const parts: string[] = [];
  if (counts.failed > 0) parts.push(`${plural(counts.failed, 'run')} failed`);
  if (tasks.late > 0) parts.push(`${plural(tasks.late, 'task')} ${tasks.late === 1 ? 'is' : 'are'} late`);
  return parts.length === 0 ? 'Nothing needs you' : listWords(parts);
}

export function subline({ counts, tasks }: Pick<Overview, 'counts' | 'tasks'>): string {
  if (counts.failed + tasks.late > 0) return 'Everything else moves by itself.';
  const moving = counts.waiting + counts.running;
  if (counts.person > 0)
    return `${plural(counts.person, 'run')} ${counts.person === 1 ? 'waits' : 'wait'} for people.`;
  return moving > 0 ? `${plural(moving, 'run')} on the way.` : 'No run is on its way.';
}
