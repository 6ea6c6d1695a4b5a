/* pages/inbox/run-pane.tsx — where the run stands: its picture, what happened to the task, and a place for comments. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { asProblem } from '../../api/problem';
import { pictureQuery } from '../../api/pictures';
import { commentTask, runQuery, type Task } from '../../api/tasks';
import { runAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { ProblemLine } from '../../ui/form/form-fields';
import { useMay } from '../../ui/may';
import { newKey } from '../../ui/new-key';
import type { Person } from '../../ui/person';
import { type NodeMark, takenKey } from '../../ui/picture';
import { PictureView } from '../../ui/picture-view';
import { Time } from '../../ui/time';
import { useTyped } from '../../ui/use-typed';
import { t } from '../../texts/inbox';
import styles from './inbox.module.css';
import { happeningWords } from './story';

interface RunPaneProps {
  readonly task: Task;
  readonly person: Person;
}

const isOpen = (task: Task) => (task.state ?? 'open') === 'open';

export function RunPane({ task, person }: RunPaneProps) {
  const may = useMay();
  return (
    <aside className={styles['pane']} aria-label={t.theRun}>
      <header>
        <h2>{t.whereThisStands}</h2>
        <span className="grow" />
        {may('instances:read') && (
          <Link className="link s" href={runAddress(task.instanceId)}>
            {t.openTheRun}
          </Link>
        )}
      </header>
      <RunPicture task={task} />
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keys. */}
      <ol className={styles['story']} aria-label={t.whatHappenedToTheTask} tabIndex={0}>
        {task.history?.map((one, at) => (
          <li key={at}>
            <Time at={one.at} />
            <span>
              {happeningWords(one, person.name)}
              {one.comment !== undefined && <q dir="auto">{one.comment}</q>}
            </span>
          </li>
        ))}
        {isOpen(task) && (
          <li>
            <span className="dim">{t.now}</span>
            <b>{t.waitsForAnAnswer}</b>
          </li>
        )}
      </ol>
      <Comment key={task.id} task={task} person={person} />
    </aside>
  );
}

/** A picture that cannot be had is left out: the task can be answered without it. */
function RunPicture({ task }: { readonly task: Task }) {
  const picture = useQuery(pictureQuery(task.definitionId, task.definitionVersion));
  const may = useMay();
  const run = useQuery({ ...runQuery(task.instanceId), enabled: may('instances:read') });
  if (picture.data === undefined) return null;
  const nodes = new Map<string, NodeMark>(
    Object.entries(run.data?.nodes ?? {}).map(([id, { state, visits }]) => [id, { state, visits }]),
  );
  if (isOpen(task)) nodes.set(task.nodeId, { state: 'person', caption: t.youAreHere });
  const taken = new Set(run.data?.edges.map(({ from, to }) => takenKey(from, to)) ?? []);
  return (
    <div className={styles['picture']}>
      <PictureView
        picture={picture.data}
        label={t.pictureOfTheRun}
        marks={{ nodes, taken }}
        showFirst={task.nodeId}
      />
    </div>
  );
}

function Comment({ task, person }: RunPaneProps) {
  const may = useMay();
  const queries = useQueryClient();
  const [text, setText] = useTyped(`comment:${task.id}`);
  const [key, setKey] = useState(newKey);
  const comment = useMutation({
    mutationFn: () => commentTask({ id: task.id, by: person.name, key }, text.trim()),
    onSuccess: () => {
      setText('');
      setKey(newKey());
      announce(t.commentSent);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['tasks', task.id] }),
  });
  if (!isOpen(task) || !may('tasks:own')) return null;
  return (
    <form
      className={styles['comment']}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '' && !comment.isPending) comment.mutate();
      }}
    >
      <input
        id="comment"
        className="in"
        aria-label={t.comment}
        placeholder={t.writeAComment}
        maxLength={4096}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" isBusy={comment.isPending} disabled={text.trim() === ''}>
        {t.send}
      </Button>
      {comment.isError && <ProblemLine message={asProblem(comment.error).message} />}
    </form>
  );
}
