/* pages/builder/panel.tsx — beside the canvas: the chosen step, the chosen line, or the flow itself. */
import { lazy, Suspense } from 'react';

import { answersOf, isRestPort, openAnswers } from '../../flow/answers';
import { dataAt, type DataItem, dataOf, inputSchemaOf, type NodeParam, tellApart } from '../../flow/data';
import { findLine, findNode, type FlowNode, isEndType, linesFrom, nodesOf, startsOf } from '../../flow/flow';
import { isStates, isSteps } from '../../flow/format';
import type { Json } from '../../flow/json';
import { numbersOf } from '../../flow/outline';
import { defaultOf, givenOf, isMeant, nameIn } from '../../flow/table';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { Chips } from './chips';
import { useBuilder } from './context';
import { Control } from './controls';
import { Field } from './field';
import { FlowPanel } from './flow-panel';
import { useSample } from './data-list';
import { FIRST_FIELDS, lookOfType } from './kinds';
import { Fields } from './life-controls';
import { later } from './later';
import { LinePanel } from './line-panel';
import styles from './panel.module.css';
import { insertIntoLast } from './pill-text';
import { ProblemNote } from './problems';
import { QuestionList } from './question-list';
import { TargetSelect, Ways } from './ways';

const FormShare = lazy(() => import('./form-share').then((it) => ({ default: it.FormShare })));
const StatePanel = lazy(() => import('./state-panel').then((it) => ({ default: it.StatePanel })));

export const PANEL_ID = 'builder-panel';

/** With `hasPopover` the condition of a line is open beside the line itself. */
/* Its menus are a tenth of the builder. */
const Menu = later(() => import('../../ui/menu').then((it) => it.Menu));

export function Panel({ hasPopover }: { readonly hasPopover: boolean }) {
  const { flow, selection } = useBuilder();
  const node =
    selection.kind === 'nodes' && selection.ids.length === 1
      ? findNode(flow, selection.ids[0] ?? '')
      : undefined;
  const line = selection.kind === 'line' ? findLine(flow, selection.key) : undefined;
  return (
    <aside className={styles['panel']} id={PANEL_ID} aria-label={t.whatIsChosen} data-region="panel">
      {node !== undefined && isStates(flow) ? (
        <Suspense>
          <StatePanel key={node.pointer} node={node} />
        </Suspense>
      ) : node !== undefined ? (
        <NodePanel key={node.id} node={node} />
      ) : line !== undefined ? (
        <LinePanel key={line.key} lineKey={line.key} hasPopover={hasPopover} />
      ) : selection.kind === 'nodes' && selection.ids.length > 1 ? (
        <ManyPanel ids={selection.ids} />
      ) : (
        <FlowPanel />
      )}
    </aside>
  );
}

/* Letters typed into one field are one step back. */
function useField(
  node: FlowNode,
): (path: readonly string[]) => (value: Json | undefined, isTyping?: boolean) => void {
  const { dispatch } = useBuilder();
  return (path) => (value, isTyping) =>
    void dispatch(
      { kind: 'setField', id: node.id, path, value },
      isTyping === true ? `field:${node.id}:${path.join('.')}` : undefined,
    );
}

function StepHead({ node }: { readonly node: FlowNode }) {
  const { flow, types, dispatch, select } = useBuilder();
  const look = lookOfType(node.type);
  const word = types.get(node.type)?.label ?? node.type;
  const number = numbersOf(flow).get(node.id) ?? 0;
  // A start of the steps format has no name of its own.
  const isNamed = !(isSteps(flow) && node.list !== 'steps');
  const loops = [
    {
      label: t.repeatForEach,
      icon: 'loop' as const,
      onSelect: () => void dispatch({ kind: 'wrapInLoop', ids: [node.id], label: t.forEach }),
    },
    ...(node.type === 'for_each'
      ? [
          {
            label: t.takeTheStepsOut,
            onSelect: () => void dispatch({ kind: 'unwrapLoop', id: node.id }),
          },
        ]
      : []),
  ];
  return (
    <header className={styles['head']}>
      <span className="square large" data-colour={look.colour}>
        <Icon name={look.icon} />
      </span>
      <div>
        {!isNamed && <h2 className="cut">{word}</h2>}
        {isNamed && (
          <input
            className={styles['name']}
            aria-label={t.nameOfTheStep}
            dir="auto"
            value={node.label}
            placeholder={word}
            maxLength={200}
            onChange={(event) =>
              dispatch({ kind: 'setLabel', id: node.id, label: event.target.value }, `label:${node.id}`)
            }
          />
        )}
        <span className="dim s">{t.stepOf(word, number, nodesOf(flow).length)}</span>
      </div>
      {node.list !== 'start' && (
        <Menu
          items={[
            ...(isSteps(flow) ? [] : loops),
            {
              label: t.delete,
              icon: 'close',
              isDanger: true,
              key: t.del,
              onSelect: () => void dispatch({ kind: 'deleteNodes', ids: [node.id] }),
            },
          ]}
        >
          <button type="button" className="btn quiet icon small" aria-label={t.moreAboutThisStep}>
            <Icon name="more" />
          </button>
        </Menu>
      )}
      <button
        type="button"
        className={`btn quiet icon small ${styles['close'] ?? ''}`}
        aria-label={t.close}
        onClick={() => select({ kind: 'none' })}
      >
        <Icon name="close" small />
      </button>
    </header>
  );
}

/* The answers of a person, each with the way that it goes. */
function Answers({ node, label }: { readonly node: FlowNode; readonly label: string }) {
  const { dispatch } = useBuilder();
  const answers = answersOf(node);
  return (
    <Field label={label} name="decisions">
      <Chips
        label={label}
        nodeId={node.id}
        values={answers}
        canPick={false}
        onChange={(decisions) => dispatch({ kind: 'setDecisions', id: node.id, decisions })}
      />
    </Field>
  );
}

function StepField({ node, param }: { readonly node: FlowNode; readonly param: NodeParam }) {
  const { types } = useBuilder();
  const change = useField(node);
  const params = types.get(node.type)?.params ?? [];
  if (node.type === 'human_task' && param.name === 'decisions')
    return <Answers node={node} label={param.label} />;
  return (
    <Control
      node={node}
      param={{ ...param, default: defaultOf(param, params, node.config) }}
      value={givenOf(param, node.config)}
      onChange={change([nameIn(param, node.config)])}
    />
  );
}

/* Nothing comes with a schedule. */
const asksForInput = (node: FlowNode, isPlain: boolean) =>
  isPlain ? node.list === 'start' : node.type !== 'trigger_cron';

/* The start asks for the input, whether a person fills in a form or a web form sends it. */
function InputQuestions({ node }: { readonly node: FlowNode }) {
  const { flow, dispatch } = useBuilder();
  const isPlain = isSteps(flow);
  // With several starts, the form is the form of its start: a message has other data than a person gives.
  const isAlone = startsOf(flow).length === 1;
  const isOwn =
    node.type === 'trigger_manual' &&
    (node.config['inputSchema'] !== undefined || (!isAlone && inputSchemaOf(flow, undefined) === undefined));
  const place = isPlain
    ? ['input_schema']
    : flow['inputSchema'] === undefined
      ? ['settings', 'inputSchema']
      : ['inputSchema'];
  const put = (value: Json | undefined, isTyping?: boolean) => {
    const key = isTyping === true ? 'questions' : undefined;
    if (isOwn) dispatch({ kind: 'setField', id: node.id, path: ['inputSchema'], value }, key);
    else dispatch({ kind: 'setSetting', path: place, value }, key);
  };
  return (
    <Field
      label={node.type === 'trigger_manual' || isPlain ? t.whatIsAsked : t.whatComes}
      name="questions"
      help={t.laterStepsCanUseEach}
    >
      <QuestionList schema={inputSchemaOf(flow, node)} onChange={put} isPlain={isPlain} />
    </Field>
  );
}

function NodePanel({ node }: { readonly node: FlowNode }) {
  const { flow, types, problemsOf } = useBuilder();
  const type = types.get(node.type);
  const isStart = type?.kind === 'trigger';
  const params = (type?.params ?? []).filter(
    (param) => param.name !== 'entry' && !(isStart && param.name === 'inputSchema'),
  );
  const usual = FIRST_FIELDS[node.type] ?? params.slice(0, 4).map((param) => param.name);
  // A run that waits for an event must be found by what both have in common.
  const isAwaited = isStart && nodesOf(flow).some((each) => each.type === 'wait_event');
  const names = isAwaited ? [...usual, 'correlationExpression'] : usual;
  const meant = params.filter((param) => isMeant(param, params, node.config));
  const first = names.flatMap((name) => meant.find((param) => param.name === name) ?? []);
  const more = meant.filter((param) => !names.includes(param.name));
  const isGateway =
    type?.kind === 'gateway' || linesFrom(flow, node.id).some((line) => line.slot?.kind === 'case');
  return (
    <>
      <StepHead node={node} />
      <div className={styles['body']}>
        {(problemsOf.get(node.id) ?? []).map((problem) => (
          <ProblemNote key={`${problem.code}${problem.pointer}`} problem={problem} />
        ))}
        {first.map((param) => (
          <StepField key={param.name} node={node} param={param} />
        ))}
        {isStart && asksForInput(node, isSteps(flow)) && <InputQuestions node={node} />}
        {node.type === 'trigger_manual' && (
          <Suspense>
            <FormShare node={node} />
          </Suspense>
        )}
        {isGateway && <Ways node={node} />}
        {!isGateway && !isEndType(node.type) && <Then node={node} />}
        {more.length > 0 && (
          <details className={styles['more']}>
            <summary>
              <span className="grow">{t.moreChoices}</span>
              <span className="dim s cut">
                {more
                  .slice(0, 3)
                  .map((param) => param.label.toLowerCase())
                  .join(', ')}
              </span>
            </summary>
            <div className={styles['moreBody']}>
              {more.map((param) => (
                <StepField key={param.name} node={node} param={param} />
              ))}
            </div>
          </details>
        )}
        <Beside node={node} part="begin" />
        <Beside node={node} part="safety" />
      </div>
      <Gives node={node} flowData={dataAt(flow, node.id, types)} />
    </>
  );
}

/* Fields of a step beside its config: what it waits for before it begins; when it is tried again, how long it takes, what undoes it. */
const BEGINS: readonly string[] = ['openFrom', 'openUntil', 'lock', 'lockSize', 'lockTimeout'];

function Beside({ node, part }: { readonly node: FlowNode; readonly part: 'begin' | 'safety' }) {
  const { types, table, dispatch } = useBuilder();
  const type = types.get(node.type);
  const isBegin = part === 'begin';
  const title = isBegin ? t.whenItMayBegin : t.ifSomethingGoesWrong;
  const usual = isBegin ? t.atOnce2 : t.asUsual2;
  const params = table.nodeFields.filter(
    ({ name }) =>
      BEGINS.includes(name) === isBegin &&
      (type?.fields ?? []).includes(name) &&
      (node.raw[name] !== undefined || !(type?.params ?? []).some((param) => param.name === name)),
  );
  if (params.length === 0 || node.list !== 'nodes') return null;
  return (
    <details className={styles['more']} data-field={part}>
      <summary>
        <span className="grow">{title}</span>
        <span className="dim s cut">
          {params.some(({ name }) => node.raw[name] !== undefined) ? t.setHere : usual}
        </span>
      </summary>
      <div className={styles['moreBody']}>
        <Fields
          node={node}
          params={params}
          object={node.raw}
          onChange={(name, value, isTyping) =>
            void dispatch(
              { kind: 'setMember', id: node.id, name, value },
              isTyping === true ? `member:${node.id}:${name}` : undefined,
            )
          }
        />
      </div>
    </details>
  );
}

/* Where each way out leads. Each answer of a person has its own; "any other answer" is shown where a line is for it or could be. */
function Then({ node }: { readonly node: FlowNode }) {
  const { flow, types } = useBuilder();
  const answers = answersOf(node);
  const isShared =
    linesFrom(flow, node.id).some((line) => line.port === 'out') || openAnswers(flow, node).length > 0;
  const ports = [
    ...answers.map((name) => ({ name, label: t.ifTheAnswer(name) })),
    ...(types.get(node.type)?.ports ?? []).filter(
      (port) => port.name !== 'out' || answers.length === 0 || isShared,
    ),
  ];
  const label = (port: { readonly name: string; readonly label: string }) => {
    if (port.name !== 'out') return port.label;
    return answers.length > 0 || isRestPort(node, 'out') ? t.anyOtherAnswer : t.then;
  };
  return (
    <div className={styles['then']} data-field="then">
      {ports.map((port) => (
        <Field key={port.name} label={label(port)}>
          <TargetSelect
            from={node.id}
            port={port.name}
            label={label(port)}
            isAnswer={answers.includes(port.name)}
          />
        </Field>
      ))}
    </div>
  );
}

function Pills({
  items,
  onPick,
}: {
  readonly items: readonly DataItem[];
  readonly onPick?: (item: DataItem) => void;
}) {
  const { flow } = useBuilder();
  const sample = useSample();
  return (
    <ul className={styles['pills']}>
      {items.map((item) => (
        <li key={item.path.join('.')}>
          {onPick === undefined ? (
            <span className="data" data-colour={lookOfType(item.nodeType).colour}>
              {item.label}
            </span>
          ) : (
            <button
              type="button"
              className="data"
              data-colour={lookOfType(item.nodeType).colour}
              title={t.insertIntoTheText}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onPick(item)}
            >
              {tellApart(flow, item, items)}
            </button>
          )}
          <span className="dim s cut">{sample(item)}</span>
        </li>
      ))}
    </ul>
  );
}

const SHOWN_MAX = 8;

function Gives({ node, flowData }: { readonly node: FlowNode; readonly flowData: readonly DataItem[] }) {
  const { flow, types, samples } = useBuilder();
  const own = dataOf(flow, node.id, types);
  if (flowData.length + own.length === 0) return null;
  return (
    <div className={styles['gives']}>
      {flowData.length > 0 && (
        <>
          <div className="row">
            <h3 className="grow">{t.youCanUse}</h3>
            {samples.size > 0 && <span className="dim xs">{t.sampleFromTheLastTest}</span>}
          </div>
          <Pills items={flowData.slice(0, SHOWN_MAX)} onPick={(item) => void insertIntoLast(item.path)} />
        </>
      )}
      {own.length > 0 && (
        <>
          <h3>{t.thisStepGives}</h3>
          <Pills items={own.slice(0, SHOWN_MAX)} />
        </>
      )}
    </div>
  );
}

function ManyPanel({ ids }: { readonly ids: readonly string[] }) {
  const { dispatch } = useBuilder();
  return (
    <>
      <header className={styles['head']}>
        <h2>{t.chosen(t.nSteps(ids.length))}</h2>
      </header>
      <div className={styles['body']}>
        <button
          type="button"
          className="btn"
          onClick={() => dispatch({ kind: 'wrapInLoop', ids, label: t.forEach })}
        >
          {t.repeatThemForEach}
        </button>
        <button type="button" className="btn danger" onClick={() => dispatch({ kind: 'deleteNodes', ids })}>
          {t.deleteThem}
        </button>
      </div>
    </>
  );
}
