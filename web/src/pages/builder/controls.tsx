/* pages/builder/controls.tsx — a control for each kind of field that GET /api/node-types knows. A kind that a person cannot fill in
 * here says that the text view has it. */
import { lazy, type ReactNode, Suspense, useId } from 'react';

import { dataAt, sayName, tellApart } from '../../flow/data';
import { nodesOf } from '../../flow/flow';
import { isList, isObject, type Json, type JsonObject } from '../../flow/json';
import { onlyPath, templateOf } from '../../flow/template';
import { whomOf } from '../../flow/who';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { Chips, refuseAddress } from './chips';
import { ConditionRows } from './condition-rows';
import { useBuilder } from './context';
import { DurationControl } from './duration-control';
import { type ControlProps, Field } from './field';
import { CHOICE_WORDS, sayChoice } from './kinds';
import styles from './panel.module.css';
import { PillText } from './pill-text';
import { CorrelationControl, EventControl } from './event-controls';
import { RetryControl, UndoControl } from './life-controls';
import { QuestionList } from './question-list';
import { BackoffControl, JoinStepControl, RulesControl, TimersControl, ValuesControl } from './step-controls';
import { UntilControl } from './until-control';

const textOf = (value: Json | undefined) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
const orNothing = (text: string) => (text === '' ? undefined : text);

function TextControl({ node, param, value, onChange }: ControlProps) {
  if (value !== undefined && typeof value !== 'string') return <Unshown />;
  return (
    <PillText
      label={param.label}
      nodeId={node.id}
      value={value ?? ''}
      isLong={param.kind === 'long_text'}
      onChange={(next) => onChange(orNothing(next), true)}
    />
  );
}

function PlainControl({ param, value, onChange }: ControlProps) {
  return (
    <input
      className="in"
      aria-label={param.label}
      value={textOf(value)}
      placeholder={textOf(param.default)}
      onChange={(event) => onChange(orNothing(event.target.value), true)}
    />
  );
}

function NoteControl({ param, value, onChange }: ControlProps) {
  return (
    <textarea
      className="in"
      rows={2}
      aria-label={param.label}
      value={textOf(value)}
      onChange={(event) => onChange(orNothing(event.target.value), true)}
    />
  );
}

function NumberControl({ param, value, onChange }: ControlProps) {
  return (
    <input
      className="in"
      type="number"
      min={param.min}
      max={param.max}
      step={param.kind === 'integer' ? 1 : 'any'}
      aria-label={param.label}
      value={textOf(value)}
      placeholder={textOf(param.default)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : Number(event.target.value), true)}
    />
  );
}

function YesNoControl({ param, value, onChange }: ControlProps) {
  const isOn = typeof value === 'boolean' ? value : param.default === true;
  return (
    <label className={styles['check']}>
      <input
        type="checkbox"
        className="cb"
        checked={isOn}
        onChange={(event) =>
          onChange(event.target.checked === (param.default === true) ? undefined : event.target.checked)
        }
      />
      {param.label}
    </label>
  );
}

function ChoiceControl({ param, value, onChange }: ControlProps) {
  const words = param.words ?? [];
  const shown = textOf(value ?? param.default);
  return (
    <select
      className="in"
      aria-label={param.label}
      value={shown}
      onChange={(event) =>
        onChange(event.target.value === (param.default ?? '') ? undefined : event.target.value)
      }
    >
      {param.default === undefined && <option value="">{t.asUsual}</option>}
      {shown !== '' && !words.includes(shown) && <option value={shown}>{shown}</option>}
      {words.map((word) => (
        <option key={word} value={word}>
          {sayChoice(param.name, word)}
        </option>
      ))}
    </select>
  );
}

function ListControl({ node, param, value, onChange }: ControlProps) {
  const { flow, types } = useBuilder();
  const items = dataAt(flow, node.id, types).filter((item) => ['array', 'any', 'object'].includes(item.type));
  const path = typeof value === 'string' ? onlyPath(value) : null;
  if (value !== undefined && path === null) return <Unshown />;
  const key = path === null ? '' : JSON.stringify(path);
  const isKnown = key === '' || items.some((item) => JSON.stringify(item.path) === key);
  return (
    <select
      className="in"
      aria-label={param.label}
      value={key}
      onChange={(event) =>
        onChange(
          event.target.value === '' ? undefined : templateOf(JSON.parse(event.target.value) as string[]),
        )
      }
    >
      <option value="">{t.chooseAList}</option>
      {!isKnown && path !== null && <option value={key}>{sayName(String(path.at(-1)))}</option>}
      {items.map((item) => (
        <option key={item.path.join('.')} value={JSON.stringify(item.path)}>
          {tellApart(flow, item, items)}
        </option>
      ))}
    </select>
  );
}

function StepControl({ param, value, onChange }: ControlProps) {
  const { flow, types } = useBuilder();
  const steps = nodesOf(flow);
  return (
    <select
      className="in"
      aria-label={param.label}
      value={textOf(value)}
      onChange={(event) => onChange(orNothing(event.target.value))}
    >
      <option value="">{t.choose}</option>
      {steps.map((node) => (
        <option key={node.id} value={node.id}>
          {node.label || (types.get(node.type)?.label ?? node.id)}
        </option>
      ))}
    </select>
  );
}

function JoinControl({ value, onChange }: ControlProps) {
  const join: JsonObject = isObject(value) ? value : {};
  const mode = textOf(join['mode']) || 'all';
  return (
    <div className={styles['pair']}>
      <select
        className="in"
        aria-label={t.goesOnWhen}
        value={mode}
        onChange={(event) => {
          const next = event.target.value;
          onChange(
            next === 'all' ? undefined : next === 'quorum' ? { mode: next, count: 2 } : { mode: next },
          );
        }}
      >
        {['all', 'any', 'quorum'].map((word) => (
          <option key={word} value={word}>
            {CHOICE_WORDS[word]}
          </option>
        ))}
      </select>
      {mode === 'quorum' && (
        <input
          className="in"
          type="number"
          min={1}
          aria-label={t.howMany}
          value={textOf(join['count'])}
          onChange={(event) => onChange({ ...join, count: Math.max(1, Number(event.target.value)) }, true)}
        />
      )}
    </div>
  );
}

/* Names and values, in rows. Values that are no text are left to the text view. */
function MapControl({ node, param, value, onChange }: ControlProps) {
  const id = useId();
  if (value !== undefined && !isObject(value)) return <Unshown />;
  const rows = Object.entries(value ?? {});
  const set = (next: readonly (readonly [string, Json | undefined])[], isTyping: boolean) => {
    onChange(next.length === 0 ? undefined : Object.fromEntries(next), isTyping);
  };
  return (
    <div className={styles['rows']}>
      {rows.map(([name, member], i) => (
        <div key={i} className={styles['mapRow']}>
          <input
            className="in"
            aria-label={t.nameOf(i + 1, param.label)}
            placeholder={t.name2}
            value={name}
            onChange={(event) => {
              if (rows.some(([other], j) => j !== i && other === event.target.value)) return;
              set(
                rows.map(([old, each], j) => [j === i ? event.target.value : old, each]),
                true,
              );
            }}
          />
          {member === undefined || typeof member === 'string' || typeof member === 'number' ? (
            <PillText
              label={t.valueOf2(name)}
              nodeId={node.id}
              value={textOf(member)}
              placeholder={t.value}
              onChange={(text) =>
                set(
                  rows.map(([old, each], j) => [
                    old,
                    j === i
                      ? typeof each === 'number' && text !== '' && !Number.isNaN(Number(text))
                        ? Number(text)
                        : text
                      : each,
                  ]),
                  true,
                )
              }
            />
          ) : typeof member === 'boolean' ? (
            <select
              className="in"
              aria-label={t.valueOf2(name)}
              value={String(member)}
              onChange={(event) =>
                set(
                  rows.map(([old, each], j) => [old, j === i ? event.target.value === 'true' : each]),
                  false,
                )
              }
            >
              <option value="true">{t.yes}</option>
              <option value="false">{t.no}</option>
            </select>
          ) : (
            <Unshown />
          )}
          <button
            type="button"
            className="btn quiet icon small"
            aria-label={t.remove(name)}
            onClick={() =>
              set(
                rows.filter((_, j) => j !== i),
                false,
              )
            }
          >
            <Icon name="close" small />
          </button>
        </div>
      ))}
      <button
        type="button"
        id={id}
        className="btn small quiet"
        onClick={() => set([...rows, [freeName(rows.map(([name]) => name)), '']], false)}
      >
        <Icon name="plus" small />
        {t.addAValue}
      </button>
    </div>
  );
}

function freeName(names: readonly string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? 'value' : `value${i}`;
    if (!names.includes(name)) return name;
  }
}

function Unshown() {
  return <p className="help">{t.thisIsFilled}</p>;
}

const RECIPIENTS: ReadonlySet<string> = new Set(['to', 'cc', 'bcc', 'replyTo']);

function TextsControl({ node, param, value, onChange }: ControlProps) {
  const list = value === undefined ? [] : typeof value === 'string' ? [value] : isList(value) ? value : null;
  if (list === null || !list.every((item) => typeof item === 'string')) return <Unshown />;
  return (
    <Chips
      label={param.label}
      nodeId={node.id}
      values={list}
      canPick={param.template}
      whom={whomOf(param.name)}
      {...(node.type === 'action_email' && RECIPIENTS.has(param.name) ? { refuse: refuseAddress } : {})}
      onChange={(next) => onChange(next.length === 0 ? undefined : [...next])}
    />
  );
}

const Reminders = lazy(() => import('./reminder-controls').then((it) => ({ default: it.RemindersControl })));
const Escalation = lazy(() =>
  import('./reminder-controls').then((it) => ({ default: it.EscalationControl })),
);

const Schedule = lazy(() => import('./schedule-control').then((it) => ({ default: it.ScheduleControl })));
const Zone = lazy(() => import('./schedule-control').then((it) => ({ default: it.ZoneControl })));

const Flow = lazy(() => import('./flow-controls').then((it) => ({ default: it.FlowControl })));
const Version = lazy(() => import('./flow-controls').then((it) => ({ default: it.VersionControl })));

const CONTROLS: { readonly [kind: string]: (props: ControlProps) => ReactNode } = {
  text: TextControl,
  long_text: TextControl,
  time: TextControl,
  note: NoteControl,
  plain: PlainControl,
  cron: Schedule,
  zone: Zone,
  expression: PlainControl,
  secret: PlainControl,
  integer: NumberControl,
  number: NumberControl,
  boolean: YesNoControl,
  choice: ChoiceControl,
  duration: DurationControl,
  iso_duration: DurationControl,
  texts: TextsControl,
  list: ListControl,
  node: StepControl,
  trigger: EventControl,
  join: JoinControl,
  map: MapControl,
  json: MapControl,
  timers: TimersControl,
  backoff: BackoffControl,
  values: ValuesControl,
  table: RulesControl,
  join_step: JoinStepControl,
  retry: RetryControl,
  undo: UndoControl,
  reminders: (props) => (
    <Suspense fallback={<p className="help">…</p>}>
      <Reminders {...props} />
    </Suspense>
  ),
  escalation: (props) => (
    <Suspense fallback={<p className="help">…</p>}>
      <Escalation {...props} />
    </Suspense>
  ),
  flow: (props) => (
    <Suspense fallback={<p className="help">…</p>}>
      <Flow {...props} />
    </Suspense>
  ),
  version: (props) => (
    <Suspense fallback={<p className="help">…</p>}>
      <Version {...props} />
    </Suspense>
  ),
  schema: ({ value, onChange }) => <QuestionList schema={value} onChange={onChange} />,
  plain_schema: ({ value, onChange }) => <QuestionList schema={value} onChange={onChange} isPlain />,
  condition: ({ node, value, onChange }) =>
    node.type === 'for_each' ? (
      <UntilControl node={node} value={value} onChange={onChange} />
    ) : (
      <ConditionRows nodeId={node.id} condition={value} onChange={onChange} />
    ),
};

export function Control(props: ControlProps) {
  const isTogether = props.param.name === 'correlationExpression';
  const Kind = isTogether ? CorrelationControl : (CONTROLS[props.param.kind] ?? Unshown);
  if (props.param.kind === 'boolean') return <Kind {...props} />;
  return (
    <Field label={props.param.label} name={props.param.name} help={props.param.help ?? ''}>
      <Kind {...props} />
    </Field>
  );
}
