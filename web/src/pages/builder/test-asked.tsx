/* pages/builder/test-asked.tsx — what a test is told: its start, what goes in, what people answer, which events come, which calls fail. */
import { useState } from 'react';

import { inputSchemaOf } from '../../flow/data';
import { isObject } from '../../flow/json';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
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
  { value: '1h', word: 'after an hour' },
  { value: '1d', word: 'after a day' },
  { value: '3d', word: 'after 3 days' },
  { value: '7d', word: 'after a week' },
  { value: '30d', word: 'after 30 days' },
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
          <span className="s">Starts by</span>
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
        What goes in
      </h3>
      <Values value={input} />
      <Button isSmall onClick={() => setEditing(true)}>
        Change the sample
      </Button>
      {isEntity && (
        <label className={styles['transitions']}>
          <span className="s">What is asked of it</span>
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
            {plan.fails.length === 0 ? 'All calls work' : `${plan.fails.length} of the calls fail`}
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
              <span className="cut">{label || (types.get(type)?.label ?? id)} fails</span>
            </label>
          ))}
        </details>
      )}
      {isEditing && (
        <SampleDialog
          title="What goes in"
          done="Run with this"
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
      <span className="s cut">{kind === 'event' ? `${name}: the event comes` : `${name} is answered`}</span>
      {rounds.map((round, at) => (
        <div key={at} className={styles['answer']}>
          <span className="dim xs">{sayRound(outsider, at, rounds.length)}</span>
          {answers.length > 0 ? (
            <select
              className="in"
              aria-label={`Answer of ${name}${of(at)}`}
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
              aria-label={`${round.values === null ? 'made up…' : 'values…'} ${name}${of(at)}`}
              onClick={() => setEdited(at)}
            >
              {round.values === null ? 'made up…' : 'values…'}
            </Button>
          )}
          <select
            className="in"
            aria-label={`When ${name} answers${of(at)}`}
            value={round.after}
            onChange={(event) => change(at, { after: event.target.value })}
          >
            {AFTER.map((each) => (
              <option key={each.value} value={each.value}>
                {each.word}
              </option>
            ))}
            {(canBeLate(flow, outsider) || kind !== 'signal') && <option value={NEVER}>never</option>}
          </select>
          {answers.length > 0 && schema !== undefined && (
            <Button isSmall aria-label={`fills in… ${name}${of(at)}`} onClick={() => setEdited(at)}>
              fills in…
            </Button>
          )}
          {rounds.length > 1 && (
            <Button
              isSmall
              look="quiet"
              icon="close"
              label={`Leave out: ${sayRound(outsider, at, rounds.length)}`}
              onClick={() => put(rounds.filter((_, i) => i !== at))}
            />
          )}
        </div>
      ))}
      {kind !== 'event' && more !== undefined && rounds.length < ROUNDS_MAX && (
        <Button isSmall look="quiet" icon="plus" onClick={() => put([...rounds, more])}>
          {outsider.isInLoop ? 'Another item' : 'Another time'}
        </Button>
      )}
      {edited !== null && open !== undefined && (
        <SampleDialog
          title={kind === 'event' ? `What comes with ${name}` : `What ${name} answers`}
          done={kind === 'event' ? 'Send this' : 'Answer so'}
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
