/* pages/builder/test-asked.tsx — what a test is told: its start, what goes in, what people answer, which events come, which calls fail. */
import { useState } from 'react';

import { inputSchemaOf } from '../../flow/data';
import { isObject } from '../../flow/json';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/trial';
import { useBuilder } from './context';
import { SampleDialog } from './sample-dialog';
import {
  beginnings,
  callsOf,
  canBeLate,
  inputOf,
  NEVER,
  type Outsider,
  outsidersOf,
  type Round,
  roundsOf,
  sayRound,
  startOf,
  type TestPlan,
} from './test-plan';
import { sampleInput } from './sample-input';
import styles from './test-panel.module.css';
import { Values } from './test-steps';

const AFTER = [
  { value: '1h', word: t.afterAnHour },
  { value: '1d', word: t.afterADay },
  { value: '3d', word: t.after3Days },
  { value: '7d', word: t.afterAWeek },
  { value: '30d', word: t.after30Days },
];
const ROUNDS_MAX = 20;

interface AskedProps {
  readonly plan: TestPlan;
  readonly onPlan: (plan: TestPlan) => void;
  readonly onRun: (plan: TestPlan) => void;
}

export function Asked({ plan, onPlan, onRun }: AskedProps) {
  const { flow, types } = useBuilder();
  const [isEditing, setEditing] = useState(false);
  const isEntity = typeof flow['entityName'] === 'string';
  const starts = beginnings(flow);
  const start = startOf(flow, plan);
  const input = inputOf(flow, plan);
  const calls = callsOf(flow);
  return (
    <>
      {starts.length > 1 && (
        <label className={styles['transitions']}>
          <span className="s">{t.startsBy}</span>
          <select
            className="in"
            value={start?.id ?? ''}
            onChange={(event) => onPlan({ ...plan, start: event.target.value })}
          >
            {starts.map((each) => (
              <option key={each.id} value={each.id}>
                {each.label || (types.get(each.type)?.label ?? each.id)}
              </option>
            ))}
          </select>
        </label>
      )}
      <h3>
        <Icon name="pin" small />
        {t.whatGoes}
      </h3>
      <Values value={input} />
      <Button isSmall onClick={() => setEditing(true)}>
        {t.changeTheSample}
      </Button>
      {isEntity && (
        <label className={styles['transitions']}>
          <span className="s">{t.whatIsAsked}</span>
          <input
            className="in"
            placeholder="APPROVE, SHIP"
            value={plan.transitions}
            onChange={(event) => onPlan({ ...plan, transitions: event.target.value })}
          />
        </label>
      )}
      {outsidersOf(flow).map((outsider) => (
        <Rounds key={outsider.node.id} outsider={outsider} plan={plan} onPlan={onPlan} />
      ))}
      {calls.length > 0 && (
        <details className={styles['calls']}>
          <summary className="s">
            {plan.fails.length === 0 ? t.allCallsWork : t.ofTheCallsFail(plan.fails.length)}
          </summary>
          {calls.map(({ id, label, type }) => (
            <label key={id} className={styles['pin']}>
              <input
                type="checkbox"
                className="cb"
                checked={plan.fails.includes(id)}
                onChange={({ target }) =>
                  onPlan({
                    ...plan,
                    fails: target.checked ? [...plan.fails, id] : plan.fails.filter((each) => each !== id),
                  })
                }
              />
              <span className="cut">{t.fails(label || (types.get(type)?.label ?? id))}</span>
            </label>
          ))}
        </details>
      )}
      {isEditing && (
        <SampleDialog
          title={t.whatGoes}
          done={t.runWith}
          schema={inputSchemaOf(flow, start)}
          value={input}
          onClose={() => setEditing(false)}
          onDone={(value) => {
            const next = { ...plan, inputs: { ...plan.inputs, [start?.id ?? '']: value } };
            onPlan(next);
            setEditing(false);
            onRun(next);
          }}
        />
      )}
    </>
  );
}

interface RoundsProps {
  readonly outsider: Outsider;
  readonly plan: TestPlan;
  readonly onPlan: (plan: TestPlan) => void;
}

/* One row per round; the last one is for all that follow. */
function Rounds({ outsider, plan, onPlan }: RoundsProps) {
  const { flow, types } = useBuilder();
  const [edited, setEdited] = useState<number | null>(null);
  const { node, kind, answers, schema } = outsider;
  const rounds = roundsOf(flow, plan, outsider);
  const put = (next: readonly Round[]) => onPlan({ ...plan, rounds: { ...plan.rounds, [node.id]: next } });
  const change = (at: number, part: Partial<Round>) =>
    put(rounds.map((round, i) => (i === at ? { ...round, ...part } : round)));
  const name = node.label || (types.get(node.type)?.label ?? node.id);
  const of = (at: number) => (rounds.length === 1 ? '' : `, ${sayRound(outsider, at, rounds.length)}`);
  const more = rounds.at(-1);
  const open = edited === null ? undefined : rounds[edited];
  return (
    <div className={styles['rounds']}>
      <span className="s cut">{kind === 'event' ? t.theEventComes(name) : t.isAnswered(name)}</span>
      {rounds.map((round, at) => (
        <div key={at} className={styles['answer']}>
          <span className="dim xs">{sayRound(outsider, at, rounds.length)}</span>
          {answers.length > 0 ? (
            <select
              className="in"
              aria-label={t.answerOf(name, of(at))}
              value={round.decision}
              disabled={round.after === NEVER}
              onChange={(event) => change(at, { decision: event.target.value })}
            >
              {answers.map((word) => (
                <option key={word} value={word}>
                  {word}
                </option>
              ))}
            </select>
          ) : (
            <Button
              isSmall
              aria-label={`${round.values === null ? t.madeUp : t.values} ${name}${of(at)}`}
              onClick={() => setEdited(at)}
            >
              {round.values === null ? t.madeUp : t.values}
            </Button>
          )}
          <select
            className="in"
            aria-label={t.whenAnswers(name, of(at))}
            value={round.after}
            onChange={(event) => change(at, { after: event.target.value })}
          >
            {AFTER.map((each) => (
              <option key={each.value} value={each.value}>
                {each.word}
              </option>
            ))}
            {(canBeLate(flow, outsider) || kind !== 'signal') && <option value={NEVER}>{t.never}</option>}
          </select>
          {answers.length > 0 && schema !== undefined && (
            <Button isSmall aria-label={t.fillsIn(name, of(at))} onClick={() => setEdited(at)}>
              {t.fillsIn2}
            </Button>
          )}
          {rounds.length > 1 && (
            <Button
              isSmall
              look="quiet"
              icon="close"
              label={t.leaveOut(sayRound(outsider, at, rounds.length))}
              onClick={() => put(rounds.filter((_, i) => i !== at))}
            />
          )}
        </div>
      ))}
      {kind !== 'event' && more !== undefined && rounds.length < ROUNDS_MAX && (
        <Button isSmall look="quiet" icon="plus" onClick={() => put([...rounds, more])}>
          {outsider.isInLoop ? t.anotherItem : t.anotherTime}
        </Button>
      )}
      {edited !== null && open !== undefined && (
        <SampleDialog
          title={kind === 'event' ? t.whatComes(name) : t.whatAnswers(name)}
          done={kind === 'event' ? t.sendThis : t.answerSo}
          schema={schema}
          value={open.values ?? sampleInput(schema)}
          onClose={() => setEdited(null)}
          onDone={(value) => {
            change(edited, { values: isObject(value) ? value : {} });
            setEdited(null);
          }}
        />
      )}
    </div>
  );
}
