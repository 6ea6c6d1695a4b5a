/* pages/builder/state-panel.tsx — a state of a Serverless Workflow: its actions, events and retries in words, where it leads, and each of its
 * parts as JSON that can be changed. Also the parts of the flow itself. Loaded with the first such document (states.ts). */
import { useState } from 'react';

import { type Flow, type FlowLine, type FlowNode, linesFrom, nodesOf } from '../../flow/flow';
import {
  isList,
  isObject,
  isSame,
  type Json,
  type JsonObject,
  parseJson,
  printJson,
  textOf,
} from '../../flow/json';
import { numbersOf } from '../../flow/outline';
import { BRANCH, objectsOf } from '../../flow/serverless/read';
import { nameOfAction, sayCondition, sayEntry, sayPath, sayRetry } from '../../flow/serverless/say';
import { sayDuration } from '../../flow/duration';
import { t } from '../../texts/serverless';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { useBuilder } from './context';
import { Field } from './field';
import { lookOfType } from './kinds';
import styles from './panel.module.css';
import { ProblemNote } from './problems';
import own from './state-panel.module.css';
import { TargetSelect } from './ways';

/* A state is known by its name, so that a name counts when it is whole. */
function NameField({ node }: { readonly node: FlowNode }) {
  const { dispatch } = useBuilder();
  const [typed, setTyped] = useState<string | null>(null);
  const done = () => {
    if (typed !== null && typed.trim() !== '' && typed !== node.label)
      dispatch({ kind: 'setLabel', id: node.id, label: typed.trim() });
    setTyped(null);
  };
  return (
    <input
      className={styles['name']}
      aria-label={t.nameOfTheState}
      dir="auto"
      value={typed ?? node.label}
      maxLength={200}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done();
      }}
    />
  );
}

function Head({ node }: { readonly node: FlowNode }) {
  const { flow, types, select } = useBuilder();
  const look = lookOfType(node.type);
  const word = types.get(node.type)?.label ?? node.type;
  return (
    <header className={styles['head']}>
      <span className="square large" data-colour={look.colour}>
        <Icon name={look.icon} />
      </span>
      <div>
        {node.list === 'start' ? <h2 className="cut">{word}</h2> : <NameField key={node.id} node={node} />}
        <span className="dim s">
          {t.stepOf(word, numbersOf(flow).get(node.id) ?? 0, nodesOf(flow).length)}
        </span>
      </div>
      <Button isSmall look="quiet" icon="close" label={t.close} onClick={() => select({ kind: 'none' })} />
    </header>
  );
}

/* ---- what it does, in words ---- */

const functionOf = (flow: Flow, name: string): JsonObject | undefined =>
  objectsOf(flow, 'functions').find((each) => each['name'] === name);

function sayPerformer(flow: Flow, action: JsonObject): string {
  const reference = action['functionref'];
  const name = isObject(reference) ? textOf(reference['refname']) : textOf(reference);
  const called = functionOf(flow, name);
  const resource = textOf(called?.['resource']);
  return t.handledBy(/^https?:/.test(resource) ? resource : t.workers);
}

function sayParameters(action: JsonObject): string {
  const reference = action['functionref'];
  const given = isObject(reference) ? reference['parameters'] : undefined;
  return isObject(given) && Object.keys(given).length > 0 ? t.gets(Object.keys(given).join(', ')) : '';
}

function sayResult(action: JsonObject): string {
  const filter = action['filter'];
  const path = isObject(filter) ? textOf(filter['resultPath']) : '';
  return path === '' ? '' : t.resultGoesTo(sayPath(path));
}

function Actions({ raw }: { readonly raw: JsonObject }) {
  const { flow } = useBuilder();
  const actions = objectsOf(raw, 'actions');
  if (actions.length === 0) return null;
  const isParallel = textOf(raw['actionMode']).toUpperCase() === 'PARALLEL';
  return (
    <div className="field">
      <span className="label">
        {t.actions} <span className="dim">{isParallel ? t.allAtOnce : t.oneAfterTheOther}</span>
      </span>
      <ol className={own['parts']}>
        {actions.map((action, at) => (
          <li key={at}>
            <b dir="auto">{nameOfAction(action)}</b>
            <span className="dim s">
              {[
                sayPerformer(flow, action),
                sayParameters(action),
                textOf(action['timeout']) === '' ? '' : t.atMost(sayDuration(textOf(action['timeout']))),
                sayResult(action),
              ]
                .filter((word) => word !== '')
                .join(', ')}
            </span>
            {objectsOf(action, 'retry').map((rule, number) => (
              <span key={number} className={`s ${own['retry'] ?? ''}`} data-retry>
                <Icon name="retry" small /> {t.triedAgain(sayRetry(rule))}
              </span>
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Trigger({ trigger }: { readonly trigger: JsonObject }) {
  const token = textOf(trigger['correlationToken']);
  return (
    <li>
      <b dir="auto">{textOf(trigger['name'])}</b>
      <span className="dim s">
        {t.typeAndSource(textOf(trigger['type']), textOf(trigger['source']))}
        {token === '' ? '' : `, ${t.belongsBy(sayPath(token))}`}
      </span>
    </li>
  );
}

/* An entry names triggers of the flow, which say what kind of event it is. */
function Events({ raw }: { readonly raw: JsonObject }) {
  const { flow } = useBuilder();
  const entries = objectsOf(raw, 'eventActions');
  if (entries.length === 0) return null;
  return (
    <div className="field">
      <span className="label">{t.events}</span>
      {entries.map((entry, at) => {
        const condition = sayCondition(entry['condition']);
        const named = objectsOf(flow, 'triggers').filter(
          ({ name }) => textOf(name) !== '' && condition.includes(textOf(name)),
        );
        return (
          <div key={at} className={own['entry']}>
            <b dir="auto">{sayEntry(entry)}</b>
            <ul className={own['parts']}>
              {named.map((trigger) => (
                <Trigger key={textOf(trigger['name'])} trigger={trigger} />
              ))}
            </ul>
            <Actions raw={entry} />
          </div>
        );
      })}
    </div>
  );
}

/* ---- where it leads ---- */

const sayWay = (line: FlowLine): string => line.label || t.usualWay;

function Leads({ node }: { readonly node: FlowNode }) {
  const { flow } = useBuilder();
  const lines = linesFrom(flow, node.id);
  const hasUsual = lines.some((line) => line.port === 'out');
  return (
    <div data-field="then">
      {lines.map((line) => (
        <Field key={line.key} label={sayWay(line)}>
          <TargetSelect from={node.id} port={line.port} lineKey={line.key} label={sayWay(line)} />
        </Field>
      ))}
      {!hasUsual && node.type !== BRANCH && (
        <Field label={lines.length === 0 ? t.waysOn : t.usualWay}>
          <TargetSelect from={node.id} port="out" label={lines.length === 0 ? t.waysOn : t.usualWay} />
        </Field>
      )}
    </div>
  );
}

/* ---- its parts, which can be changed ---- */

interface JsonPartProps {
  readonly name: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

function JsonPart({ name, value, onChange }: JsonPartProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [why, setWhy] = useState('');
  const done = () => {
    if (typed === null) return;
    const outcome = typed.trim() === '' ? { ok: true as const, value: undefined } : parseJson(typed);
    setWhy(outcome.ok ? '' : outcome.mistake.message);
    if (!outcome.ok) return;
    setTyped(null);
    if (!isSame(outcome.value, value)) onChange(outcome.value);
  };
  const text = typed ?? (value === undefined ? '' : printJson(value));
  return (
    <Field label={name}>
      <textarea
        className={`in mono ${own['json'] ?? ''}`}
        aria-label={t.asJson(name)}
        aria-invalid={why !== ''}
        spellCheck={false}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        value={text}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={done}
      />
      {why !== '' && (
        <span className="st failed s" role="alert">
          {t.thatIsNoJson(why)}
        </span>
      )}
    </Field>
  );
}

/** The parts of each type that are shown as JSON; every state may have the last ones. */
const PARTS: { readonly [type: string]: readonly string[] } = {
  OPERATION: ['actions'],
  EVENT: ['eventActions'],
  SWITCH: ['choices'],
  RELAY: ['inject'],
};
const COMMON = ['filter', 'loop', 'onError'];

function Parts({ node }: { readonly node: FlowNode }) {
  const { dispatch } = useBuilder();
  const names = [...(PARTS[node.type] ?? []), ...(node.type === BRANCH ? [] : COMMON)];
  if (names.length === 0) return null;
  return (
    <details className={styles['more']} open={node.type === 'RELAY' || node.type === 'SWITCH'}>
      <summary>
        <span className="grow">{t.partsAsJson}</span>
        <span className="dim s cut">{names.join(', ')}</span>
      </summary>
      <div className={styles['moreBody']}>
        {names.map((name) => (
          <JsonPart
            key={name}
            name={name}
            value={node.raw[name]}
            onChange={(value) => void dispatch({ kind: 'setField', id: node.id, path: [name], value })}
          />
        ))}
      </div>
    </details>
  );
}

function TextField({
  node,
  name,
  label,
}: {
  readonly node: FlowNode;
  readonly name: string;
  readonly label: string;
}) {
  const { dispatch } = useBuilder();
  const value = textOf(node.raw[name]);
  return (
    <Field label={label} help={name === 'timeDelay' ? sayDuration(value) : ''}>
      <input
        className="in"
        aria-label={label}
        value={value}
        onChange={(event) =>
          dispatch(
            { kind: 'setField', id: node.id, path: [name], value: event.target.value },
            `field:${node.id}:${name}`,
          )
        }
      />
    </Field>
  );
}

function Check({
  node,
  name,
  label,
}: {
  readonly node: FlowNode;
  readonly name: string;
  readonly label: string;
}) {
  const { dispatch } = useBuilder();
  return (
    <label className={styles['check']}>
      <input
        type="checkbox"
        className="cb"
        checked={node.raw[name] === true}
        onChange={(event) =>
          dispatch({ kind: 'setField', id: node.id, path: [name], value: event.target.checked || undefined })
        }
      />
      {label}
    </label>
  );
}

function ActionMode({ node }: { readonly node: FlowNode }) {
  const { dispatch } = useBuilder();
  if (objectsOf(node.raw, 'actions').length < 2) return null;
  const isParallel = textOf(node.raw['actionMode']).toUpperCase() === 'PARALLEL';
  return (
    <Field label={t.howActions}>
      <select
        className="in"
        aria-label={t.howActions}
        value={isParallel ? 'PARALLEL' : ''}
        onChange={(event) =>
          dispatch({
            kind: 'setField',
            id: node.id,
            path: ['actionMode'],
            value: event.target.value || undefined,
          })
        }
      >
        <option value="">{t.oneAfterTheOther}</option>
        <option value="PARALLEL">{t.allAtOnce}</option>
      </select>
    </Field>
  );
}

export function StatePanel({ node }: { readonly node: FlowNode }) {
  const { problemsOf, dispatch } = useBuilder();
  return (
    <>
      <Head node={node} />
      <div className={styles['body']}>
        {(problemsOf.get(node.id) ?? []).map((problem) => (
          <ProblemNote key={`${problem.code}${problem.pointer}`} problem={problem} />
        ))}
        {node.type === 'DELAY' && <TextField node={node} name="timeDelay" label={t.howLong} />}
        {node.type === 'SUBFLOW' && <TextField node={node} name="workflowId" label={t.whichFlow} />}
        {(node.type === 'SUBFLOW' || node.type === BRANCH) && (
          <Check node={node} name="waitForCompletion" label={t.waitForIt} />
        )}
        <ActionMode node={node} />
        <Actions raw={node.raw} />
        <Events raw={node.raw} />
        <Leads node={node} />
        {node.list !== 'start' && <Parts node={node} />}
        {node.list !== 'start' && (
          <div className="row">
            <button
              type="button"
              className="btn small danger"
              onClick={() => dispatch({ kind: 'deleteNodes', ids: [node.id] })}
            >
              {t.delete}
            </button>
          </div>
        )}
      </div>
    </>
  );
}

/** The flow itself: its functions, the events that it knows, its handlers. */
export function StatesLife() {
  const { flow, dispatch } = useBuilder();
  const functions = objectsOf(flow, 'functions');
  const triggers = objectsOf(flow, 'triggers');
  return (
    <>
      {functions.length > 0 && (
        <div className="field">
          <span className="label">{t.functions}</span>
          <ul className={own['parts']}>
            {functions.map((each, at) => (
              <li key={at}>
                <b dir="auto">{textOf(each['name'])}</b>
                <span className="dim s">{textOf(each['resource']) || t.handledBy(t.workers)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {triggers.length > 0 && (
        <div className="field">
          <span className="label">{t.triggers}</span>
          <ul className={own['parts']}>
            {triggers.map((each, at) => (
              <Trigger key={at} trigger={each} />
            ))}
          </ul>
        </div>
      )}
      {!isList(flow['onError']) && (
        <Field label={t.onErrorWords}>
          <span className="help">{t.nothingHandles}</span>
        </Field>
      )}
      <details className={styles['more']}>
        <summary>
          <span className="grow">{t.partsAsJson}</span>
        </summary>
        <div className={styles['moreBody']}>
          {['functions', 'triggers', 'onError'].map((name) => (
            <JsonPart
              key={name}
              name={name}
              value={flow[name]}
              onChange={(value) => void dispatch({ kind: 'setSetting', path: [name], value })}
            />
          ))}
        </div>
      </details>
    </>
  );
}
