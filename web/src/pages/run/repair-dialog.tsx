/* pages/run/repair-dialog.tsx — repairs a run by hand: other data, another step. The engine says first where the run would stand then. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { modifyRun, type Repair, type Run } from '../../api/instances';
import { pictureQuery } from '../../api/pictures';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { readObject } from '../../ui/read-object';
import { useTyped } from '../../ui/use-typed';
import { sayWait } from '../../texts/engine';
import { t } from '../../texts/run';

type TokenState = Awaited<ReturnType<typeof modifyRun>>['tokens'][number]['state'];

/* A preview has no codes of its waits; these are what each state of a token means. */
const WAITS: { readonly [State in TokenState]: string } = {
  ready: 'begins',
  job: 'works',
  signal: 'signal',
  person: 'person',
  join: 'branches',
  resting: 'rests',
  failed: 'failed',
  event: 'event',
  time: 'time',
  region: 'inside',
  remainder: 'inside',
  arrival: 'arrival',
  transition: 'transition',
  milestone: 'milestone',
  lock: 'lock',
};

interface RepairDialogProps {
  readonly run: Run;
  readonly onClose: () => void;
}

export function RepairDialog({ run, onClose }: RepairDialogProps) {
  const queries = useQueryClient();
  const id = useId();
  const [key] = useState(newKey);
  const places = [...new Set(run.why.map(({ nodeId }) => nodeId))];
  const [from, setFrom] = useState(places[0] ?? '');
  const [to, setTo] = useState('');
  const [text, setText, forgetText] = useTyped(`repair:${run.id}`);
  const [reason, setReason, forgetReason] = useTyped(`repair:${run.id}:why`);
  const picture = useQuery(pictureQuery(run.definitionId, run.definitionVersion));
  const choices = picture.data?.nodes.filter((node) => run.status !== 'failed' || node.id !== from) ?? [];
  const titleOf = (node: string) => run.nodes[node]?.title ?? node;
  const data = readObject(text);
  const hasData = data !== null && Object.keys(data).length > 0;
  // A failed run does not go on by other data alone: the step where it stands is done again.
  const target = to === '' && run.status === 'failed' && hasData ? from : to;
  const repair: Repair = {
    ...(hasData ? { set: data } : {}),
    ...(target === '' ? {} : { move: [{ from, to: target }] }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  };
  const isEmpty = !hasData && to === '';
  const preview = useMutation({ mutationFn: () => modifyRun(run.id, repair, run.revision, true, key) });
  const change = useMutation({
    mutationFn: () => modifyRun(run.id, repair, run.revision, false, key),
    onSuccess: async () => {
      forgetText();
      forgetReason();
      announce(t.repaired);
      onClose();
      await queries.invalidateQueries({ queryKey: ['instances', run.id] });
    },
  });
  const edit = (put: () => void) => {
    put();
    preview.reset(); // The preview belongs to another repair.
  };
  return (
    <Dialog
      title={t.repair(run.businessKey ?? run.id)}
      onClose={onClose}
      onSubmit={() => {
        if (isEmpty || data === null) return;
        if (preview.isSuccess) change.mutate();
        else preview.mutate();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t.letIt}</Button>
          <Button
            look="primary"
            type="submit"
            disabled={isEmpty || data === null}
            isBusy={preview.isPending || change.isPending}
          >
            {preview.isSuccess ? t.doIt : t.showWhatWouldHappen}
          </Button>
        </>
      }
    >
      {places.length > 0 && (
        <div className="field">
          <label htmlFor={`${id}f`}>{t.theRunStands}</label>
          <select
            id={`${id}f`}
            className="in"
            value={from}
            onChange={(event) => edit(() => setFrom(event.target.value))}
          >
            {places.map((each) => (
              <option key={each} value={each}>
                {titleOf(each)}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}t`}>{t.goOn}</label>
        <select
          id={`${id}t`}
          className="in"
          value={to}
          onChange={(event) => edit(() => setTo(event.target.value))}
        >
          <option value="">{run.status === 'failed' ? t.again(titleOf(from)) : t.stayThere}</option>
          {choices.map((node) => (
            <option key={node.id} value={node.id}>
              {node.id === from ? t.again(node.title) : node.title}
            </option>
          ))}
        </select>
        <span className="help">{t.aLaterStepSkipsWhat}</span>
      </div>
      <div className="field">
        <label htmlFor={`${id}d`}>{t.changeDataAsJsonMay}</label>
        <textarea
          id={`${id}d`}
          className="in mono"
          rows={4}
          value={text}
          placeholder="{ }"
          aria-invalid={data === null}
          onChange={(event) => edit(() => setText(event.target.value))}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}r`}>{t.whyItIsKept}</label>
        <input
          id={`${id}r`}
          className="in"
          value={reason}
          maxLength={500}
          onChange={(event) => edit(() => setReason(event.target.value))}
        />
      </div>
      {preview.isError && <Failed problem={preview.error} />}
      {change.isError && <Failed problem={change.error} />}
      {preview.isSuccess && (
        <section aria-label={t.whatWouldHappen}>
          <h3>{t.thenTheRunWouldStand}</h3>
          <ul>
            {preview.data.tokens.map((token) => (
              <li key={token.stepExecutionId} dir="auto">
                {token.name}: {sayWait({ code: WAITS[token.state] }) || token.why}
              </li>
            ))}
            {preview.data.tokens.length === 0 && <li>{t.noStepItWould}</li>}
          </ul>
        </section>
      )}
    </Dialog>
  );
}
