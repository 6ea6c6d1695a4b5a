/* pages/builder/flow-panel.tsx — the flow itself: its name, what it is for, what follows it. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';

import { definitionNamesQuery } from '../../api/definitions';
import { findNode, type FlowNode, nodesOf } from '../../flow/flow';
import { isStates, isSteps } from '../../flow/format';
import type { Json } from '../../flow/json';
import { settingPlace, settingsOf } from '../../flow/table';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { Field } from './field';
import { Fields } from './life-controls';
import styles from './panel.module.css';
import { ProblemNote } from './problems';

const StatesLife = lazy(() => import('./state-panel').then((it) => ({ default: it.StatesLife })));

export function FlowPanel() {
  const { flow, dispatch, problems } = useBuilder();
  const text = (name: string) => (typeof flow[name] === 'string' ? flow[name] : '');
  const set = (name: string, value: string) =>
    dispatch(
      { kind: 'setSetting', path: [name], value: value === '' && name !== 'name' ? undefined : value },
      `setting:${name}`,
    );
  const general = problems.filter(
    (problem) => problem.nodeId === undefined || findNode(flow, problem.nodeId) === undefined,
  );
  return (
    <>
      <header className={styles['head']}>
        <span className="square large" data-colour="start">
          <Icon name="flows" />
        </span>
        <div>
          <h2>{t.thisFlow}</h2>
          <span className="dim s">{t.nSteps(nodesOf(flow).length)}</span>
        </div>
      </header>
      <div className={styles['body']}>
        {general.map((problem) => (
          <ProblemNote key={`${problem.code}${problem.pointer}`} problem={problem} />
        ))}
        <Field label={t.name2}>
          <input
            className="in"
            aria-label={t.nameOfTheFlow}
            value={text('name')}
            maxLength={200}
            onChange={(event) => set('name', event.target.value)}
          />
        </Field>
        <Field label={t.whatIt}>
          <textarea
            className="in"
            rows={3}
            aria-label={t.whatTheFlow}
            value={text('description')}
            onChange={(event) => set('description', event.target.value)}
          />
        </Field>
        {isStates(flow) ? (
          <Suspense>
            <StatesLife />
          </Suspense>
        ) : isSteps(flow) ? (
          <NextFlow />
        ) : (
          <Life />
        )}
        <p className="help">{t.chooseAStep}</p>
      </div>
    </>
  );
}

/* Where settings are asked for like fields of a step. */
const NO_NODE: FlowNode = {
  id: '',
  type: '',
  label: '',
  config: {},
  parent: null,
  position: null,
  list: 'nodes',
  index: -1,
  raw: {},
};

const PARTS: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  {
    title: t.howItsRunsLive,
    names: ['instanceMode', 'isRecoverable', 'executionTimeout', 'retentionPeriod', 'priority'],
  },
  { title: t.howManyAtTheSame, names: ['maxActiveInstances', 'overflowPolicy'] },
  {
    title: t.ifSomethingGoesWrong,
    names: ['globalErrorHandler', 'defaultRetryPolicy', 'onFailure', 'compensationOrder', 'maxNodeVisits'],
  },
  { title: t.whatItNeeds, names: ['inputSchema', 'secretRefs'] },
];

/* Settings of the flow. One that a later engine has and no part names stands in the last part. */
function Life() {
  const { flow, table, dispatch } = useBuilder();
  const values = settingsOf(flow, table.settings);
  const named = PARTS.flatMap((part) => part.names);
  const rest = table.settings.filter(({ name }) => !named.includes(name));
  return PARTS.map(({ title, names }, i) => {
    const own = names.flatMap((name) => table.settings.find((param) => param.name === name) ?? []);
    const params = (i === PARTS.length - 1 ? [...own, ...rest] : own).map((param) => ({
      ...param,
      template: false,
    }));
    return (
      <details key={title} className={styles['more']}>
        <summary>
          <span className="grow">{title}</span>
          <span className="dim s cut">
            {params.some(({ name }) => values[name] !== undefined) ? t.setHere : t.asUsual2}
          </span>
        </summary>
        <div className={styles['moreBody']}>
          <Fields
            node={NO_NODE}
            params={params}
            object={values}
            onChange={(name, value, isTyping) =>
              void dispatch(
                { kind: 'setSetting', path: settingPlace(flow, name), value },
                isTyping === true ? `setting:${name}` : undefined,
              )
            }
          />
        </div>
      </details>
    );
  });
}

/* Chaining: what starts when this flow is done. */
function NextFlow() {
  const { flow, store, dispatch } = useBuilder();
  const next = typeof flow['nextWorkflowId'] === 'string' ? flow['nextWorkflowId'] : '';
  const isOn = flow['autoStartNextWorkflow'] === true;
  const definitions = useQuery(definitionNamesQuery());
  const ids = (definitions.data?.items ?? []).map((item) => item.id).filter((id) => id !== store.id);
  const set = (name: string, value: Json | undefined) =>
    dispatch({ kind: 'setSetting', path: [name], value });
  return (
    <Field label={t.whenItIsDone} name="next-flow">
      <label className={styles['check']}>
        <input
          type="checkbox"
          className="cb"
          checked={isOn}
          onChange={(event) => set('autoStartNextWorkflow', event.target.checked ? true : undefined)}
        />
        {t.startAnotherFlow}
      </label>
      {(isOn || next !== '') && (
        <select
          className="in"
          aria-label={t.theFlowThatStartsNext}
          value={next}
          onChange={(event) =>
            set('nextWorkflowId', event.target.value === '' ? undefined : event.target.value)
          }
        >
          <option value="">{t.choose}</option>
          {next !== '' && !ids.includes(next) && <option value={next}>{next}</option>}
          {ids.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
