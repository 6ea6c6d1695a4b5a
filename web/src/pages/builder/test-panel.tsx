/* pages/builder/test-panel.tsx — a test of the flow as it stands: no e-mail, no call, days pass at once. Left what goes in and what
 * people answer, in the middle every step on the test's own clock, right what went in and out of the chosen step. */
import { useEffect, useMemo, useRef, useState } from 'react';

import { inputSchemaOf, sayName } from '../../flow/data';
import { findNode, type Flow, nodesOf, roleOf, startsOf } from '../../flow/flow';
import { isSteps } from '../../flow/format';
import { isList, isObject, type Json, type JsonObject } from '../../flow/json';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FormFields } from '../../ui/form/form-fields';
import { useForm } from '../../ui/form/use-form';
import { Icon } from '../../ui/icon';
import { formatDuration } from '../../ui/times';
import { shortValue } from '../../ui/words';
import { useBuilder } from './context';
import { lookOfType } from './kinds';
import { firstInput, sampleInput } from './sample-input';
import styles from './test-panel.module.css';
import type { Trial, TrialStep } from './use-trial';

const WHEN = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
const AFTER = [
  { value: '', word: 'after an hour' },
  { value: '1d', word: 'after a day' },
  { value: '3d', word: 'after 3 days' },
  { value: '7d', word: 'after a week' },
];

interface Answer {
  readonly decision: string;
  readonly after: string;
  /** What a person fills in, where there is nothing to decide among. */
  readonly variables?: JsonObject;
}

const NO_ANSWER: Answer = { decision: '', after: '' };

const HOW_WORDS: { readonly [how: string]: string } = {
  done: '',
  pretended: 'pretended',
  pinned: 'pinned',
  failed: 'failed',
  'not sent': 'not sent',
  waits: 'waits',
};

type Person = ReturnType<typeof people>[number];

function people(flow: Flow) {
  return nodesOf(flow)
    .filter((node) => roleOf(node.type) === 'person' || node.type === 'WAIT')
    .map((node) => {
      const list = node.config['decisions'];
      return {
        id: node.id,
        label: node.label || 'Somebody',
        isFree: isSteps(flow),
        schema: node.config['formSchema'],
        decisions: isList(list) ? list.filter((word) => typeof word === 'string') : [],
      };
    });
}

export function TestPanel({ trial, onClose }: { readonly trial: Trial; readonly onClose: () => void }) {
  const { flow, store, text } = useBuilder();
  const isEntity = typeof flow['entityName'] === 'string';
  const [transitions, setTransitions] = useState('');
  const schema = useMemo(() => inputSchemaOf(flow, startsOf(flow)[0]), [flow]);
  const [kept, setKept] = useState<Json | null>(null);
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const [pins, setPins] = useState<JsonObject>({});
  const [isEditing, setEditing] = useState(false);
  const [asked, setAsked] = useState<Person | null>(null);
  const answer = (id: string, change: Partial<Answer>) =>
    setAnswers(new Map([...answers, [id, { ...(answers.get(id) ?? NO_ANSWER), ...change }]]));
  const [chosen, setChosen] = useState<number | null>(null);
  const runButton = useRef<HTMLButtonElement>(null);
  useEffect(() => runButton.current?.focus(), []);
  const input = kept ?? firstInput(flow);
  const { result } = trial;
  const run = (withInput: Json = input) => {
    setChosen(null);
    const given = [...answers].flatMap(([node, { decision, after, variables }]) =>
      decision === '' && after === '' && variables === undefined
        ? []
        : [
            {
              node,
              ...(decision === '' ? {} : { decision }),
              ...(after === '' ? {} : { after }),
              ...(variables === undefined ? {} : { variables }),
            },
          ],
    );
    const asked = transitions
      .split(',')
      .map((transition) => ({ transition: transition.trim() }))
      .filter(({ transition }) => transition !== '');
    void trial.run({
      ...(text === null ? { document: store.get().history.now.flow } : { text: store.text() }),
      input: withInput,
      answers: isEntity ? asked : given,
      pins,
    });
  };
  const step = result.steps.find((each) => each.n === chosen) ?? result.steps.at(-1);
  return (
    <section className={styles['drawer']} aria-label="Test" data-region="test">
      <header>
        <h2>Test</h2>
        <Outcome trial={trial} />
        <span className="dim s cut grow">Nothing leaves the engine: no e-mail, no call.</span>
        <Button
          ref={runButton}
          isSmall
          look={result.state === 'none' ? 'primary' : 'plain'}
          icon="play"
          isBusy={result.state === 'running'}
          onClick={() => run()}
        >
          {result.state === 'none' ? 'Run the test' : 'Run again'}
        </Button>
        {result.scenario !== undefined && (
          <Button isSmall onClick={() => keep(store.id, result.scenario)}>
            Keep as a test
          </Button>
        )}
        <Button isSmall look="quiet" icon="down" label="Close the test" onClick={onClose} />
      </header>
      <div className={styles['cols']}>
        <div>
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
                value={transitions}
                onChange={(event) => setTransitions(event.target.value)}
              />
            </label>
          )}
          {people(flow).map((person) => (
            <div key={person.id} className={styles['answer']}>
              <span className="s cut">{person.label}</span>
              {person.isFree ? (
                <Button isSmall onClick={() => setAsked(person)}>
                  {answers.get(person.id)?.variables === undefined ? 'answers…' : 'answered'}
                </Button>
              ) : (
                <select
                  className="in"
                  aria-label={`Answer of ${person.label}`}
                  value={answers.get(person.id)?.decision ?? ''}
                  onChange={(event) => answer(person.id, { decision: event.target.value })}
                >
                  <option value="">{person.decisions[0] ?? 'done'}</option>
                  {person.decisions.slice(1).map((word) => (
                    <option key={word} value={word}>
                      {word}
                    </option>
                  ))}
                </select>
              )}
              <select
                className="in"
                aria-label={`When ${person.label} answers`}
                value={answers.get(person.id)?.after ?? ''}
                onChange={(event) => answer(person.id, { after: event.target.value })}
              >
                {AFTER.map((each) => (
                  <option key={each.value} value={each.value}>
                    {each.word}
                  </option>
                ))}
              </select>
            </div>
          ))}
        </div>
        <div>
          {result.state === 'failed' && (
            <p className="st failed" role="alert">
              <Icon name="failed" />
              {result.reason}
            </p>
          )}
          {result.state === 'none' && (
            <p className="help">Run the test to see which way the flow goes and what each step gets.</p>
          )}
          <StepList steps={result.steps} chosen={step?.n ?? null} onChoose={setChosen} />
        </div>
        <div>{step !== undefined && <StepDetail step={step} pins={pins} onPins={setPins} />}</div>
      </div>
      {asked !== null && (
        <SampleDialog
          title={`What ${asked.label} answers`}
          done="Answer so"
          schema={asked.schema}
          value={answers.get(asked.id)?.variables ?? sampleInput(asked.schema)}
          onClose={() => setAsked(null)}
          onDone={(value) => {
            answer(asked.id, { variables: isObject(value) ? value : {} });
            setAsked(null);
          }}
        />
      )}
      {isEditing && (
        <SampleDialog
          title="What goes in"
          done="Run with this"
          schema={schema}
          value={input}
          onClose={() => setEditing(false)}
          onDone={(value) => {
            setKept(value);
            setEditing(false);
            run(value);
          }}
        />
      )}
    </section>
  );
}

function keep(id: string, scenario: Json | undefined): void {
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(scenario, null, 2)}\n`], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = `${id}.scenario.json`;
  link.click();
  URL.revokeObjectURL(url);
}

function Outcome({ trial }: { readonly trial: Trial }) {
  const { result } = trial;
  const { flow } = useBuilder();
  if (result.state !== 'done') return null;
  const isGood = result.status === 'completed';
  const last = result.steps.at(-1);
  const name = last === undefined ? '' : findNode(flow, last.node)?.label || last.title;
  return (
    <span
      className={`st pill ${isGood ? 'done' : result.status === 'failed' ? 'failed' : 'waiting'}`}
      role="status"
    >
      <Icon name={isGood ? 'done' : result.status === 'failed' ? 'failed' : 'waiting'} />
      {isGood ? `Reached ${name}` : result.status === 'failed' ? `Failed at ${name}` : `Waits at ${name}`}
    </span>
  );
}

function Values({ value }: { readonly value: Json | undefined }) {
  if (value === undefined) return <p className="help">nothing</p>;
  if (!isObject(value)) return <p className="s">{shortValue(value)}</p>;
  const rows = Object.entries(value);
  if (rows.length === 0) return <p className="help">nothing</p>;
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

function StepList({
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
              <small className={step.how === 'failed' ? 'st failed s' : 'dim s'}>
                {HOW_WORDS[step.how] ?? step.how}
              </small>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function StepDetail({
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
      {waited > 1000 && <p className="dim s">Waited {formatDuration(waited)}</p>}
      {step.why !== '' && <p className="s">{step.why}</p>}
      <h4 className="dim xs">In</h4>
      <Values value={step.in} />
      <h4 className="dim xs">Out</h4>
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
          Keep this answer for the next test
        </label>
      )}
    </>
  );
}

interface SampleDialogProps {
  readonly title: string;
  readonly done: string;
  readonly schema: Json | undefined;
  readonly value: Json;
  readonly onClose: () => void;
  readonly onDone: (value: Json) => void;
}

function SampleDialog({ title, done: word, schema, value, onClose, onDone }: SampleDialogProps) {
  const form = useForm(schema ?? { type: 'object' }, value);
  const done = () => {
    const sent = form.send();
    if (sent !== null) onDone(sent.value);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={done}
      footer={
        <Button look="primary" type="submit">
          {word}
        </Button>
      }
    >
      <FormFields form={form} />
    </Dialog>
  );
}
