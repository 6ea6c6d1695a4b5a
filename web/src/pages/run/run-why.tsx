/* pages/run/run-why.tsx — why the run does not go on, in sentences; the names of steps lead to them. */
import { useQuery } from '@tanstack/react-query';

import { reasonsQuery, type Run } from '../../api/instances';
import { runsAddress } from '../../ui/addresses';
import { Icon } from '../../ui/icon';
import { MayLink } from '../../ui/may-link';
import { Said } from '../../ui/said';
import { Time } from '../../ui/time';
import { lookOf } from '../../ui/words';
import { sayFailure, sayPhrase, sayWait } from '../../texts/engine';
import { t } from '../../texts/run';
import styles from './run.module.css';

interface RunWhyProps {
  readonly run: Run;
  readonly onShow: (nodeId: string) => void;
}

/** The sentence with the step's name as a button, if the name is in it. */
function Sentence({
  text,
  title,
  onShow,
}: {
  readonly text: string;
  readonly title: string;
  readonly onShow: () => void;
}) {
  const at = title === '' ? -1 : text.indexOf(title);
  const step = (
    <button type="button" className={styles['step']} onClick={onShow}>
      <bdi>{title}</bdi>
    </button>
  );
  if (at < 0)
    return (
      <>
        <Said text={text} /> {title !== '' && step}
      </>
    );
  return (
    <>
      {text.slice(0, at)}
      {step}
      <Said text={text.slice(at + title.length)} />
    </>
  );
}

/** Others that failed for the same reason, and the way to retry all of them. */
function SameReason({ run }: { readonly run: Run }) {
  const reasons = useQuery(reasonsQuery());
  const { reason } = run;
  if (reason === undefined || !reasons.isSuccess) return null;
  const group = reasons.data.groups.find(
    (each) => each.reason === reason || each.exampleReason === reason || each.examples.includes(run.id),
  );
  if (group === undefined || group.count < 2) return null;
  const query = new URLSearchParams({ status: 'failed', reason: group.reason ?? reason, do: 'retry' });
  return (
    <MayLink href={runsAddress(query.toString())} needs="instances:operate" className="btn small">
      {t.retryAll(group.count)}
    </MayLink>
  );
}

/** Says which runs have the lock, and the place in the row. */
function LockWords({ own }: { readonly own: string }) {
  const says = sayPhrase('waits', own);
  return <small lang={says === '' ? 'en' : undefined}>{says === '' ? <bdi>{own}</bdi> : says}</small>;
}

export function RunWhy({ run, onShow }: RunWhyProps) {
  const [first] = run.why;
  if (first === undefined) {
    if (run.reason === undefined || run.reason === '') return null;
    return (
      <section className={`${styles['why'] ?? ''} ${lookOf(run.status).look}`} aria-label={t.whyItEnded}>
        <Icon name={lookOf(run.status).icon} />
        <p>
          <bdi>{sayPhrase('waits', run.reason) || run.reason}</bdi>
        </p>
      </section>
    );
  }
  const look = lookOf(run.status === 'completed' ? first.state : run.status);
  return (
    <section className={`${styles['why'] ?? ''} ${look.look}`} aria-label={t.whyItWaits}>
      <Icon name={look.icon} />
      <div>
        {run.why.slice(0, 5).map((each) => (
          <p key={`${each.nodeId} ${each.since}`}>
            <Sentence
              text={sayWait(each.says) || each.text}
              title={run.nodes[each.nodeId]?.title ?? ''}
              onShow={() => onShow(each.nodeId)}
            />
            {/* The engine's words name the run that has the lock, too. */}
            {sayFailure(each.says.reasonCode) !== '' && each.says.reason !== undefined && (
              <small lang="en">
                <bdi>{each.says.reason}</bdi>
              </small>
            )}
            {each.says.code === 'lock' && sayWait(each.says) !== '' && <LockWords own={each.text} />}
            <small>
              {each.state === 'failed' ? t.failed : t.since2}
              <Time at={each.since} as={each.state === 'failed' ? 'ago' : 'clock'} />
              {each.until !== undefined && <>{t.goesOnByItself(<Time at={each.until} />)}</>}
            </small>
          </p>
        ))}
        {run.why.length > 5 && <small>{t.andMoreSteps(run.why.length - 5)}</small>}
      </div>
      {run.status === 'failed' && <SameReason run={run} />}
    </section>
  );
}
