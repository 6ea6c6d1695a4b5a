/* pages/inbox/hand-over.tsx — gives a task to somebody else, with a word to them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { asProblem } from '../../api/problem';
import { assignTask, type Task } from '../../api/tasks';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { ProblemLine } from '../../ui/form/form-fields';
import { newKey } from '../../ui/new-key';
import type { Person } from '../../ui/person';
import { useTyped } from '../../ui/use-typed';
import { t } from '../../texts/inbox';

interface HandOverProps {
  readonly task: Task;
  readonly person: Person;
  readonly onClose: () => void;
}

export function HandOver({ task, person, onClose }: HandOverProps) {
  const queries = useQueryClient();
  const [key] = useState(newKey);
  const [to, setTo] = useState('');
  const [comment, setComment, forget] = useTyped(`hand-over:${task.id}`);
  const others = task.assignees.filter((name) => name !== person.name);
  const assign = useMutation({
    mutationFn: () => assignTask({ id: task.id, by: person.name, key }, to.trim(), comment.trim()),
    onSuccess: () => {
      forget();
      announce(t.handedOver(to.trim()));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['tasks'] }),
  });
  return (
    <Dialog
      title={t.handOverThisTask}
      onClose={onClose}
      onSubmit={() => {
        if (to.trim() !== '' && !assign.isPending) assign.mutate();
      }}
      footer={
        <Button look="primary" type="submit" isBusy={assign.isPending}>
          {t.handOver2}
        </Button>
      }
    >
      <div className="field">
        <label htmlFor="hand-over-to">{t.toWhom}</label>
        <input
          id="hand-over-to"
          className="in"
          required
          maxLength={256}
          list="hand-over-names"
          autoComplete="off"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
        <datalist id="hand-over-names">
          {others.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <div className="field">
        <label htmlFor="hand-over-comment">{t.aWordToThem}</label>
        <textarea
          id="hand-over-comment"
          className="in"
          rows={2}
          maxLength={4096}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
      </div>
      {assign.isError && <ProblemLine message={asProblem(assign.error).message} />}
    </Dialog>
  );
}
