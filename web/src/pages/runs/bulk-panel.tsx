/* pages/runs/bulk-panel.tsx — beside the list: what an action will touch, then how far it is (ui/bulk-progress.tsx). */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';

import {
  beginBulk,
  type Bulk,
  type BulkAction,
  type BulkPreview,
  type BulkRequest,
  previewQuery,
} from '../../api/bulk';
import { BulkProgress } from '../../ui/bulk-progress';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { readObject } from '../../ui/read-object';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/runs';
import { withData, withSignal } from './bulk-request';
import styles from './runs.module.css';
import { FlowChoice, SignalStep } from './signal-step';

const WORDS: {
  readonly [K in BulkAction]: { readonly noun: string; readonly verb: string; readonly effect: string };
} = {
  retry: { noun: t.aRetry, verb: t.retry, effect: t.tryTheStepAgain },
  cancel: { noun: t.cancelling, verb: t.cancel, effect: t.stopWhereTheyStand },
  signal: { noun: t.theSignal, verb: t.signal, effect: t.goOnIfTheyWait },
};

/* The name for runs without a reason. */
const HELD_BY: Readonly<Record<string, string>> = { WAITING: t.wait, FAILED: t.failedForNoReasonGiven };

function Groups({ preview }: { readonly preview: BulkPreview }) {
  return (
    <section>
      <h3>{t.byWhatHoldsThem}</h3>
      <ul className={styles['groups']}>
        {preview.groups.slice(0, 20).map((group) => (
          <li key={`${group.status ?? ''} ${group.reason ?? ''}`}>
            <b>{formatCount(group.count)}</b>
            <span>
              <bdi>{group.exampleReason ?? HELD_BY[group.status ?? ''] ?? t.areOnTheirWay}</bdi>
              <small>{t.last(<Time at={group.lastAt} as="ago" />)}</small>
            </span>
          </li>
        ))}
      </ul>
      {preview.groupCount > 20 && <p className="dim s">{t.and(t.nMoreGroups(preview.groupCount - 20))}</p>}
    </section>
  );
}

function Touched({
  preview,
  action,
  asked,
}: {
  readonly preview: BulkPreview;
  readonly action: BulkAction;
  readonly asked: number | null;
}) {
  const left = asked === null ? 0 : Math.max(0, asked - preview.found);
  return (
    <section>
      <div className={styles['touch']}>
        <b>{formatCount(preview.found)}</b>
        <span>
          {t.will(preview.found === 1 ? t.run : t.runs, WORDS[action].effect)}
          <small>
            {action === 'retry'
              ? t.stepsThatWereDone
              : action === 'cancel'
                ? t.whatIsDoneStaysDone
                : t.whatIsDoneStaysDone2}
          </small>
        </span>
        {asked !== null && (
          <>
            <b className={left === 0 ? styles['zero'] : ''}>{formatCount(left)}</b>
            <span className={left === 0 ? 'mid' : ''}>
              {t.ofThoseChosenLeftOut(left === 1 ? t.is : t.are)}
              {left > 0 && <small>{t.theyDoNotStandSo}</small>}
            </span>
          </>
        )}
      </div>
    </section>
  );
}

interface PreviewProps {
  readonly request: BulkRequest;
  readonly action: BulkAction;
  /** How many were chosen one by one; null: by the filter. */
  readonly asked: number | null;
  readonly signal: SignalAsked;
  readonly onBegun: (bulk: Bulk) => void;
  readonly onClose: () => void;
}

/** The choices that a signal can begin with: the flow and the step of the filter, or the flows of the runs that were chosen. */
export interface SignalAsked {
  readonly definitionId: string;
  readonly version: number | 'latest';
  readonly step: string;
  readonly definitionIds: readonly string[];
}

function Preview({ request, action, asked, signal, onBegun, onClose }: PreviewProps) {
  const [key] = useState(newKey);
  const [chosen, setChosen] = useState({ definitionId: signal.definitionId, step: signal.step });
  const [text, setText] = useState('');
  const data = readObject(text);
  const isSignal = action === 'signal';
  const wholeWith = (variables: Record<string, unknown>) =>
    isSignal
      ? withSignal(request, chosen.definitionId, chosen.step, variables)
      : withData(request, action === 'retry' ? variables : {});
  const isAsked = !isSignal || chosen.step !== '';
  const preview = useQuery({ ...previewQuery(wholeWith({})), enabled: isAsked });
  const begin = useMutation({ mutationFn: () => beginBulk(wholeWith(data ?? {}), key), onSuccess: onBegun });
  const go = useRef<HTMLButtonElement>(null);
  const found = preview.data?.found ?? 0;
  const isReady = isAsked && preview.isSuccess && found > 0 && data !== null;
  const isFirst = isReady && !isSignal && text === '';
  useEffect(() => {
    if (isFirst) go.current?.focus();
  }, [isFirst]);
  return (
    <>
      <div className={styles['body']}>
        {isSignal && signal.definitionId === '' && (
          <FlowChoice
            ids={signal.definitionIds}
            value={chosen.definitionId}
            onChange={(definitionId) => setChosen({ definitionId, step: '' })}
          />
        )}
        {isSignal && chosen.definitionId !== '' && (
          <>
            <SignalStep
              definitionId={chosen.definitionId}
              version={signal.version}
              step={chosen.step}
              onChoose={(step) => setChosen({ ...chosen, step })}
            />
            <SignalData text={text} isWrong={data === null} onChange={setText} />
          </>
        )}
        {action === 'retry' && (
          <details className={styles['change']} open={text !== ''}>
            <summary>{t.changeTheirDataFirst}</summary>
            <SignalData text={text} isWrong={data === null} onChange={setText} />
          </details>
        )}
        {isAsked && preview.isPending && <Skeleton lines={4} />}
        {isAsked && preview.isError && <Failed problem={preview.error} onRetry={preview.refetch} />}
        {isAsked && preview.isSuccess && (
          <>
            <Touched preview={preview.data} action={action} asked={asked} />
            {preview.data.groups.length > 0 && <Groups preview={preview.data} />}
          </>
        )}
        {begin.isError && <Failed problem={begin.error} />}
      </div>
      <footer>
        <Button
          ref={go}
          look={action === 'cancel' ? 'danger' : 'primary'}
          disabled={!isReady}
          isBusy={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {isAsked ? `${WORDS[action].verb} ${t.nRuns(found)}` : t.chooseTheStep}
        </Button>
        <Button onClick={onClose}>{t.back}</Button>
      </footer>
    </>
  );
}

interface SignalDataProps {
  readonly text: string;
  readonly isWrong: boolean;
  readonly onChange: (text: string) => void;
}

function SignalData({ text, isWrong, onChange }: SignalDataProps) {
  const id = useId();
  return (
    <section>
      <div className="field">
        <label htmlFor={id}>{t.dataAsJsonMay}</label>
        <textarea
          id={id}
          className="in mono"
          rows={2}
          value={text}
          placeholder="{ }"
          aria-invalid={isWrong}
          aria-describedby={`${id}h`}
          onChange={(event) => onChange(event.target.value)}
        />
        <p id={`${id}h`} className="help">
          {isWrong ? t.thisIsNoJsonObject : t.itIsMergedInto}
        </p>
      </div>
    </section>
  );
}

interface BulkPanelProps {
  readonly action: BulkAction;
  readonly request: BulkRequest;
  readonly asked: number | null;
  readonly signal: SignalAsked;
  readonly bulkId: string | null;
  readonly onBegun: (id: string) => void;
  readonly onClose: () => void;
}

export function BulkPanel({ action, request, asked, signal, bulkId, onBegun, onClose }: BulkPanelProps) {
  return (
    <aside className={styles['side']} aria-label={t.preview}>
      <header>
        <div className="grow">
          <h2>{bulkId === null ? t.whatWillTouch(WORDS[action].noun) : t.howFar}</h2>
          <p className="dim s">{bulkId === null ? t.countedJustNowNothing : t.theEngineDoesOneAfter}</p>
        </div>
        <Button look="quiet" isSmall icon="close" label={t.closeThePreview} onClick={onClose} />
      </header>
      {bulkId === null ? (
        <Preview
          key={JSON.stringify(request)}
          request={request}
          action={action}
          asked={asked}
          signal={signal}
          onBegun={({ id }) => onBegun(id)}
          onClose={onClose}
        />
      ) : (
        <BulkProgress id={bulkId} onBegun={onBegun} onClose={onClose} />
      )}
    </aside>
  );
}
