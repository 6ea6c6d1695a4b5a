/* pages/inbox/lost-answers.tsx — says when a task that one has begun to answer was answered by somebody else, or is over. */
import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';

import { type Task, taskQuery } from '../../api/tasks';
import { inboxAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import type { Person } from '../../ui/person';
import { t } from '../../texts/inbox';
import { forgetAnswer, useBegunAnswers } from './answers';
import styles from './inbox.module.css';
import { endWords } from './story';

interface LostAnswersProps {
  readonly person: Person;
  /** The task that is open: it says so itself. */
  readonly current: string | undefined;
}

const isOver = (task: Task) =>
  task.state !== undefined && task.state !== 'open' && task.state !== 'suspended';

export function LostAnswers({ person, current }: LostAnswersProps) {
  const begun = useBegunAnswers().filter(
    (answer) => answer.person === person.name && answer.taskId !== current,
  );
  const tasks = useQueries({
    queries: begun.map(({ taskId }) => taskQuery(taskId)),
    combine: (results) => results.map(({ data }) => data).filter((task) => task !== undefined),
  });
  const lost = tasks.filter((task) => isOver(task) && task.endedBy !== person.name);
  return (
    <div role="status" className={styles['lost']}>
      {lost.map((task) => (
        <p key={task.id}>
          <span>
            <Link className="link" href={inboxAddress(task.id)}>
              <bdi>{task.title}</bdi>
            </Link>
            {t.whatYouHadTyped2(endWords(task, person.name))}
          </span>
          <Button
            look="quiet"
            isSmall
            icon="close"
            label={t.forgetWhatWasTyped(task.title)}
            onClick={() => forgetAnswer(person.name, task.id)}
          />
        </p>
      ))}
    </div>
  );
}
