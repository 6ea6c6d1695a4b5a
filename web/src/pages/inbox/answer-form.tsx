/* pages/inbox/answer-form.tsx — the answer to a task: a decision, the form of its schema, and the bar that sends it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

import { asProblem } from '../../api/problem';
import { claimTask, completeTask, type Task, unclaimTask } from '../../api/tasks';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { FormFields, isEmptyForm, ProblemLine } from '../../ui/form/form-fields';
import { isObject } from '../../ui/form/json';
import { titleOfName } from '../../ui/form/schema';
import { useForm } from '../../ui/form/use-form';
import { Icon } from '../../ui/icon';
import { useMay } from '../../ui/may';
import { newKey } from '../../ui/new-key';
import type { Person } from '../../ui/person';
import { t } from '../../texts/inbox';
import { begunAnswer, forgetAnswer, keepAnswer } from './answers';
import styles from './inbox.module.css';

interface Decision {
  readonly value: string;
  /** Where the run goes on then. */
  readonly help: string;
}

interface AnswerFormProps {
  readonly task: Task;
  readonly person: Person;
  readonly focusWish: number;
  readonly decisions: readonly Decision[];
  /** How the task ended, in words; empty while it is open. */
  readonly ended: string;
  readonly next: Task | undefined;
  readonly onOver: () => void;
  readonly onHandOver: () => void;
  readonly children: ReactNode;
}

export function AnswerForm(props: AnswerFormProps) {
  const { task, person, focusWish, decisions, ended, next, onOver, onHandOver, children } = props;
  const queries = useQueryClient();
  const [begun] = useState(() => begunAnswer(person.name, task.id));
  const form = useForm(task.formSchema, undefined, begun?.draft);
  const root = useRef<HTMLFormElement>(null);
  const [decision, setDecision] = useState<string | undefined>(begun?.decision);
  const [isChoiceMissed, setChoiceMissed] = useState(false);
  const [key] = useState(newKey); // One task is answered once, however often the button is pressed.
  const isOthers = task.assignee !== undefined && task.assignee !== person.name;
  const may = useMay();
  const canAnswer = ended === '' && !isOthers && may('tasks:own');

  const act = (over: { key: string }) => ({ id: task.id, by: person.name, key: over.key });
  const answer = useMutation({
    mutationFn: (value: Record<string, unknown>) => completeTask(act({ key }), decision, value),
    onSuccess: () => {
      forgetAnswer(person.name, task.id);
      announce(t.sent(task.title, next === undefined ? '' : t.next(next.title)));
      onOver();
    },
    onError: (thrown) => {
      const problem = asProblem(thrown);
      if (problem.status === 422) form.refuse(problem.message);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['tasks'] }),
  });
  const holding = useMutation({
    mutationFn: (isTaking: boolean) =>
      isTaking ? claimTask(act({ key: newKey() }), person.groups) : unclaimTask(act({ key: newKey() })),
    onSuccess: (_, isTaking) => announce(isTaking ? t.youHaveTheTask : t.youPutTheTaskBack),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tasks'] }),
  });

  const { draft, isTouched } = form;
  const isBegun = isTouched || decision !== undefined;
  useEffect(() => {
    if (isBegun && ended === '') keepAnswer({ person: person.name, taskId: task.id, draft, decision });
  }, [isBegun, ended, person.name, task.id, draft, decision]);

  useEffect(() => {
    if (focusWish > 0)
      root.current?.querySelector<HTMLElement>('[data-answer] :is(input, select, textarea)')?.focus();
  }, [focusWish]);

  const send = () => {
    if (!canAnswer || answer.isPending) return;
    const isMissing = decisions.length > 0 && decision === undefined;
    setChoiceMissed(isMissing);
    const entry = form.send();
    if (isMissing) root.current?.querySelector<HTMLElement>('input[name="decision"]')?.focus();
    if (isMissing || entry === null) return;
    answer.mutate(isObject(entry.value) ? { ...entry.value } : { answer: entry.value });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  const refusal = [answer.error, holding.error].find(
    (thrown) => thrown !== null && asProblem(thrown).status !== 422,
  );
  return (
    // Ctrl+Enter sends from any field of the form.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={root}
      noValidate
      className={styles['answer']}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className={styles['scroll']}>
        <div className={styles['column']}>
          {children}
          {ended !== '' && (
            <p className={styles['ended']} role="status">
              {ended}
              {isBegun && task.endedBy !== person.name && t.whatYouHadTyped}
            </p>
          )}
          {isOthers && ended === '' && (
            <p className={styles['ended']}>
              {task.assignee} {t.hasThisTaskYouCan}
            </p>
          )}
          <fieldset className={styles['fields']} disabled={!canAnswer} data-answer>
            {decisions.length > 0 && (
              <Decisions
                decisions={decisions}
                chosen={decision}
                isMissed={isChoiceMissed && decision === undefined}
                onChoose={setDecision}
              />
            )}
            {!isEmptyForm(form.field) && <FormFields form={form} />}
            {isEmptyForm(form.field) && decisions.length === 0 && canAnswer && (
              <p className="mid">{t.thereIsNothingToFill}</p>
            )}
          </fieldset>
          {refusal !== undefined && refusal !== null && <ProblemLine message={asProblem(refusal).message} />}
        </div>
      </div>
      {ended === '' && (
        <div className={styles['send']}>
          <Button
            look="primary"
            type="submit"
            needs="tasks:own"
            isBusy={answer.isPending}
            disabled={isOthers}
          >
            {decisions.length > 0 || !isEmptyForm(form.field) ? t.sendAnswer : t.markAsDone}{' '}
            <kbd>{t.ctrl}</kbd>
          </Button>
          <Button id="hand-over" needs="tasks:all" onClick={onHandOver}>
            {t.handOver}
          </Button>
          {!isOthers && (
            <Button
              id="take"
              needs="tasks:own"
              look="quiet"
              isBusy={holding.isPending}
              onClick={() => holding.mutate(task.assignee === undefined)}
            >
              {task.assignee === undefined ? t.takeIt : t.putBack}
            </Button>
          )}
          <span className="grow" />
          {next !== undefined && (
            <span className={`dim s cut ${styles['next'] ?? ''}`} dir="auto">
              {t.next2(next.title)}
            </span>
          )}
        </div>
      )}
    </form>
  );
}

interface DecisionsProps {
  readonly decisions: readonly Decision[];
  readonly chosen: string | undefined;
  readonly isMissed: boolean;
  readonly onChoose: (decision: string) => void;
}

function Decisions({ decisions, chosen, isMissed, onChoose }: DecisionsProps) {
  return (
    <fieldset className="field">
      <legend className={`label ${styles['legend'] ?? ''}`}>{t.yourAnswer}</legend>
      <div className={styles['choices']}>
        {decisions.map(({ value, help }) => (
          <label key={value}>
            <input
              type="radio"
              className="radio"
              name="decision"
              value={value}
              checked={chosen === value}
              onChange={() => onChoose(value)}
            />
            <span dir="auto">
              <b className="m">{titleOfName(value)}</b>
              {help !== '' && (
                <small>
                  <Icon name="go" small />
                  {help}
                </small>
              )}
            </span>
          </label>
        ))}
      </div>
      <ProblemLine message={isMissed ? t.chooseOne : undefined} />
    </fieldset>
  );
}
