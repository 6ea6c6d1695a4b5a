/* pages/inbox/task-list.tsx — the list: one tab stop; arrows move, Enter opens the task and goes to its form. */
import { type KeyboardEvent, Fragment } from 'react';
import { Link } from 'wouter';

import type { Task } from '../../api/tasks';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/skeleton';
import { formatDue, formatOffset, formatWhole, isLate } from '../../ui/times';
import { useNow } from '../../ui/use-now';
import { useRoving } from '../../ui/use-roving';
import { t } from '../../texts/inbox';
import styles from './inbox.module.css';
import type { TaskLists } from './task-lists';

const SOON_MS = 24 * 60 * 60 * 1000;

interface TaskListProps {
  readonly lists: TaskLists;
  readonly current: string | undefined;
  readonly onOpen: (taskId: string) => void;
  readonly addressOf: (taskId: string) => string;
}

export function TaskList({ lists, current, onOpen, addressOf }: TaskListProps) {
  const tasks = lists.sections.flatMap((section) => section.tasks);
  const roving = useRoving(tasks.length);
  const stop = Math.max(
    0,
    tasks.findIndex((task) => task.id === current),
  );
  const onKeyDown = (event: KeyboardEvent, task: Task) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      onOpen(task.id);
    } else roving.onKeyDown(event);
  };
  if (lists.isPending)
    return (
      <div className={styles['list']}>
        <Skeleton lines={6} />
      </div>
    );
  if (lists.problem !== null)
    return (
      <div className={styles['list']}>
        <Failed what={t.theTasks} problem={lists.problem} onRetry={lists.retry} />
      </div>
    );
  const places = new Map(tasks.map((task, at) => [task.id, at]));
  return (
    <div className={styles['list']} data-rove-list>
      {lists.sections.map((section) => (
        <Fragment key={section.title}>
          <h2 className={styles['head']}>
            <span className="cut">{section.title}</span>
            <span>{section.order === '' ? section.tasks.length : section.order}</span>
          </h2>
          {section.tasks.length === 0 && <p className={styles['none']}>{t.nothingHere}</p>}
          {section.tasks.map((task) => {
            const index = places.get(task.id) ?? 0;
            return (
              <Link
                key={task.id}
                href={addressOf(task.id)}
                className={styles['task']}
                data-rove
                data-task={task.id}
                tabIndex={index === stop ? 0 : -1}
                {...(task.id === current ? { 'aria-current': 'true' as const } : {})}
                onKeyDown={(event: KeyboardEvent) => onKeyDown(event, task)}
                onFocus={() => roving.setIndex(index)}
              >
                <TaskRow task={task} />
              </Link>
            );
          })}
        </Fragment>
      ))}
      {lists.hasMore && (
        <button type="button" className={styles['more']} onClick={lists.more}>
          {t.showMore}
        </button>
      )}
    </div>
  );
}

function TaskRow({ task }: { readonly task: Task }) {
  const sub = [task.definitionId, task.businessKey, task.description].filter(
    (one) => one !== undefined && one !== '',
  );
  return (
    <>
      <span className={`m cut ${styles['title'] ?? ''}`} dir="auto">
        {task.title}
      </span>
      {task.due !== undefined && <Due at={task.due} />}
      <span className={`cut ${styles['sub'] ?? ''}`} dir="auto">
        {sub.join(' · ')}
      </span>
    </>
  );
}

/** When it is due, spoken: what is late or due soon has a colour and a clock. */
export function Due({ at, isPill = false }: { readonly at: string; readonly isPill?: boolean }) {
  const now = useNow();
  const words = formatDue(at, now);
  // Beside the task there is room for the zone; in the list the title has it.
  const zone = isPill && /\d:\d/.test(words) ? ` ${formatOffset(at)}` : '';
  const said = words.slice(0, 1).toUpperCase() + words.slice(1) + zone;
  const look = isLate(at, now) ? 'failed' : new Date(at).getTime() - now < SOON_MS ? 'person' : '';
  if (look === '' && !isPill)
    return (
      <span className={`dim ${styles['due'] ?? ''}`} title={formatWhole(at)}>
        {said}
      </span>
    );
  return (
    <span
      className={`st ${look || 'waiting'}${isPill ? ' pill' : ''} ${styles['due'] ?? ''}`}
      title={formatWhole(at)}
    >
      <Icon name="waiting" small={!isPill} />
      {said}
    </span>
  );
}

export function ListKeys() {
  return (
    <span className={styles['keys']} aria-hidden="true">
      <span>{t.nextBefore(<kbd>J</kbd>, <kbd>K</kbd>)}</span>
      <span>{t.open(<kbd>↵</kbd>)}</span>
    </span>
  );
}
