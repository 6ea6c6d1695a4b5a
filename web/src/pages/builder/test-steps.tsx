/* pages/builder/test-steps.tsx — the steps of a test on its own clock, and one of them: what it was given, what it would have sent, what
 * came of it. */
import { sayName } from '../../flow/data';
import { findNode } from '../../flow/flow';
import { isList, isObject, type Json, type JsonObject, textOf } from '../../flow/json';
import { EngineWords } from '../../ui/engine-words';
import { Icon } from '../../ui/icon';
import { formatDuration } from '../../ui/times';
import { shortValue } from '../../ui/words';
import { locale } from '../../texts/language';
import { t } from '../../texts/trial';
import { useBuilder } from './context';
import { lookOfType } from './kinds';
import styles from './test-panel.module.css';
import type { TrialStep } from './use-trial';

const WHEN = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

const HOW_WORDS: { readonly [how: string]: string } = {
  done: '',
  pretended: t.pretended,
  pinned: t.pinned,
  failed: t.failed,
  'not sent': t.notSent,
  waits: t.waits,
};

/* A deadline that passed is told in words: "no answer in 3 days". */
function sayHow({ how, why, refused }: TrialStep): string {
  if (how === 'late') return why;
  return refused !== '' && how === 'waits' ? t.answerRefused : (HOW_WORDS[how] ?? how);
}

const lookOfHow = ({ how, refused }: TrialStep): string =>
  how === 'failed' || (refused !== '' && how === 'waits')
    ? 'st failed s'
    : how === 'late'
      ? 'st waiting s'
      : 'dim s';

export function Values({ value }: { readonly value: Json | undefined }) {
  if (value === undefined) return <p className="help">{t.nothing}</p>;
  if (!isObject(value)) return <p className="s">{shortValue(value)}</p>;
  const rows = Object.entries(value);
  if (rows.length === 0) return <p className="help">{t.nothing}</p>;
  return (
    <dl className={styles['values']}>
      {rows.map(([name, member]) => (
        <div key={name}>
          <dt className="cut">{sayName(name)}</dt>
          <dd className="cut" title={JSON.stringify(member)}>
            {shortValue(member)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function StepList({
  steps,
  chosen,
  onChoose,
}: {
  readonly steps: readonly TrialStep[];
  readonly chosen: number | null;
  readonly onChoose: (n: number) => void;
}) {
  const { flow, select } = useBuilder();
  return (
    <ol className={styles['steps']}>
      {steps.map((step) => {
        const type = findNode(flow, step.node)?.type ?? '';
        return (
          <li key={step.n}>
            <button
              type="button"
              aria-pressed={step.n === chosen}
              data-colour={lookOfType(type).colour}
              onClick={() => {
                onChoose(step.n);
                if (findNode(flow, step.node) !== undefined) select({ kind: 'nodes', ids: [step.node] });
              }}
            >
              <time className="dim s">{step.at === '' ? '' : WHEN.format(new Date(step.at))}</time>
              <Icon name={lookOfType(type).icon} small />
              <span className="cut" dir="auto">
                {findNode(flow, step.node)?.label || step.title}
              </span>
              <small className={lookOfHow(step)}>{sayHow(step)}</small>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/* Shows the message that the step would have sent: an e-mail as it would look, anything else as its values. */
function Sent({ type, value }: { readonly type: string; readonly value: Json | undefined }) {
  if (value === undefined) return null;
  if (type === 'action_email' && isObject(value)) return <Email mail={value} />;
  return (
    <>
      <h4 className="dim xs">{type === 'human_task' || type === 'USER_TASK' ? t.asked : t.wouldSend}</h4>
      <Values value={value} />
    </>
  );
}

const listed = (value: Json | undefined): string =>
  isList(value) ? value.map((item) => textOf(item)).join(', ') : textOf(value);

function Email({ mail }: { readonly mail: JsonObject }) {
  const { to, cc, subject, body } = mail;
  return (
    <article className={styles['mail']} aria-label={t.theEMail}>
      <p className="s cut">
        <span className="dim">{t.to}</span> {listed(to) || t.nobody}
      </p>
      {listed(cc) !== '' && (
        <p className="s cut">
          <span className="dim">{t.copyTo}</span> {listed(cc)}
        </p>
      )}
      <p dir="auto">
        <b>{listed(subject) || t.noSubject}</b>
      </p>
      <p className={styles['letter']} dir="auto">
        {typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body, null, 2)}
      </p>
    </article>
  );
}

export function StepDetail({
  step,
  pins,
  onPins,
}: {
  readonly step: TrialStep;
  readonly pins: JsonObject;
  readonly onPins: (pins: JsonObject) => void;
}) {
  const { flow } = useBuilder();
  const type = findNode(flow, step.node)?.type ?? '';
  const isPinned = Object.hasOwn(pins, step.node);
  const waited = step.until === null || step.at === '' ? 0 : Date.parse(step.until) - Date.parse(step.at);
  return (
    <>
      <h3 data-colour={lookOfType(type).colour}>
        <Icon name={lookOfType(type).icon} small />
        <span className="cut">{findNode(flow, step.node)?.label || step.title}</span>
      </h3>
      {waited > 1000 && <p className="dim s">{t.waited(formatDuration(waited))}</p>}
      {step.refused !== '' && (
        <p className="st failed s" role="alert">
          {t.theAnswerWasRefused(step.refused)}
        </p>
      )}
      {step.why !== '' && (
        <p className="s">
          <EngineWords sentence={step.own === '' ? '' : step.why} own={step.own || step.why} />
        </p>
      )}
      <Sent type={type} value={step.sent} />
      <h4 className="dim xs">{t.in}</h4>
      <Values value={step.in} />
      <h4 className="dim xs">{t.out}</h4>
      <Values value={step.out} />
      {step.out !== undefined && (type.startsWith('action_') || type === 'SERVICE_TASK') && (
        <label className={styles['pin']}>
          <input
            type="checkbox"
            className="cb"
            checked={isPinned}
            onChange={(event) => {
              const { [step.node]: gone, ...others } = pins;
              onPins(
                event.target.checked
                  ? { ...pins, [step.node]: step.out ?? null }
                  : gone === undefined
                    ? pins
                    : others,
              );
            }}
          />
          {t.keepThisAnswer}
        </label>
      )}
    </>
  );
}
