/* pages/inbox/task-pane.tsx — one task: what is asked, the form, what can be done with it, and its run beside it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { documentQuery } from '../../api/documents';
import { decisionsOf, runQuery, type Task, taskQuery } from '../../api/tasks';
import { Failed } from '../../ui/failed';
import { useMay } from '../../ui/may';
import type { Person } from '../../ui/person';
import { Skeleton } from '../../ui/skeleton';
import { formatZoned } from '../../ui/times';
import { useTitle } from '../../ui/use-title';
import { useNow } from '../../ui/use-now';
import { sayPhrase } from '../../texts/engine';
import { t } from '../../texts/inbox';
import { AnswerForm } from './answer-form';
import { HandOver } from './hand-over';
import styles from './inbox.module.css';
import { RunPane } from './run-pane';
import { type Sent, SentNote } from './sent-note';
import { endWords, factsOf, holderWords, portTarget } from './story';
import { Due } from './task-list';

interface TaskPaneProps {
  readonly taskId: string;
  readonly person: Person;
  /** Changes when the form should take the focus; 0: it should not. */
  readonly focusWish: number;
  readonly next: Task | undefined;
  /** The answer before this task. */
  readonly sent: Sent | null;
  /** The address of the list. */
  readonly back: string;
  /** The task is answered: go on. */
  readonly onOver: () => void;
}

export function TaskPane(props: TaskPaneProps) {
  const task = useQuery(taskQuery(props.taskId));
  if (task.isPending)
    return (
      <section className={styles['nothing']}>
        <h1 className="sr">{t.inbox}</h1>
        <Skeleton lines={6} />
      </section>
    );
  if (task.isError)
    return (
      <section className={styles['nothing']}>
        <h1 className="sr">{t.inbox}</h1>
        <Failed what={t.thisTask} problem={task.error} onRetry={task.refetch} />
      </section>
    );
  return <Work {...props} task={task.data} />;
}

/** The known part of the run; without it the task can still be answered. */
function useRunOf(task: Task) {
  const may = useMay();
  const run = useQuery({ ...runQuery(task.instanceId), enabled: may('instances:read') });
  const document = useQuery(documentQuery(task.definitionId, task.definitionVersion));
  return { variables: run.data?.variables, document: document.data };
}

function Work({
  task,
  person,
  focusWish,
  next,
  sent,
  back,
  onOver,
}: TaskPaneProps & { readonly task: Task }) {
  const [isHandingOver, setHandingOver] = useState(false);
  const now = useNow();
  useTitle(task.title);
  const { variables, document } = useRunOf(task);
  const facts = factsOf(variables, [task.title, task.description ?? '']);
  const ended = endWords(task, person.name);
  const taken = task.history?.findLast((one) => one.what === 'claimed' || one.what === 'assigned');
  const unanswered = task.ifUnanswered ?? '';
  const says = [task.description ?? '', sayPhrase('waits', unanswered) || unanswered].filter(
    (one) => one !== '',
  );
  return (
    <>
      <section className={styles['work']} aria-label={t.theTask}>
        <Link href={back} className={`link ${styles['back'] ?? ''}`}>
          {t.allTasks}
        </Link>
        {sent !== null && <SentNote sent={sent} />}
        <AnswerForm
          key={task.id}
          task={task}
          person={person}
          focusWish={focusWish}
          decisions={decisionsOf(task).map((decision) => ({
            value: decision,
            help: portTarget(document, task.nodeId, decision),
          }))}
          ended={ended}
          next={next}
          onOver={onOver}
          onHandOver={() => setHandingOver(true)}
        >
          <header>
            <h1 dir="auto" className={styles['h1']}>
              {task.title}
            </h1>
            {says.map((text) => (
              <p key={text} className={`mid ${styles['says'] ?? ''}`} dir="auto">
                {text}
              </p>
            ))}
            <p className={`s dim ${styles['line'] ?? ''}`}>
              {task.due !== undefined && <Due at={task.due} isPill />}
              <span>{holderWords(task, person.name)}</span>
              {taken !== undefined && task.assignee !== undefined && (
                <span>{t.since(formatZoned(taken.at, now))}</span>
              )}
              <span>{t.asked(formatZoned(task.createdAt, now))}</span>
            </p>
          </header>
          {facts.length > 0 && (
            <dl className={styles['facts']}>
              {facts.map(({ name, value }) => (
                <div key={name}>
                  <dt className="cut">{name}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ))}
            </dl>
          )}
        </AnswerForm>
      </section>
      <RunPane task={task} person={person} />
      {isHandingOver && <HandOver task={task} person={person} onClose={() => setHandingOver(false)} />}
    </>
  );
}
