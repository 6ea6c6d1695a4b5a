/* pages/builder/step-controls.tsx — controls for what only the steps format has: timers, values that may be formulas, rules of a table,
 * a pause before the next try. */
import { useLocation } from 'wouter';

import { type FlowNode, nodesOf } from '../../flow/flow';
import { isList, isObject, type Json, type JsonObject, textOf, withMember } from '../../flow/json';
import { timerPort, timersOf } from '../../flow/steps/read';
import { kindOfValue, VALUE_KINDS, valueOfKind, wordOfValue } from '../../flow/steps/values';
import { tableAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { DurationControl } from './duration-control';
import { type ControlProps, Field } from './field';
import styles from './panel.module.css';
import { TargetSelect } from './ways';

const DURATION = { kind: 'iso_duration', required: false, template: false } as const;

function RemoveButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="btn quiet icon small" aria-label={label} onClick={onClick}>
      <Icon name="close" small />
    </button>
  );
}

interface TimerFieldsProps {
  readonly node: FlowNode;
  readonly at: number;
}

/** After which time, whether the step goes on meanwhile, and where the timer leads. */
export function TimerFields({ node, at }: TimerFieldsProps) {
  const { dispatch } = useBuilder();
  const timers = timersOf(node.raw);
  const timer = timers[at];
  if (timer === undefined) return null;
  const name = t.timer(at + 1);
  const put = (member: string, value: Json | undefined, isTyping = false) =>
    dispatch(
      {
        kind: 'setField',
        id: node.id,
        path: ['boundaryEvents'],
        value: timers.map((each, i) => (i === at ? withMember(each, member, value) : each)),
      },
      isTyping ? `timer:${node.id}:${at}` : undefined,
    );
  return (
    <>
      <Field label={t.after}>
        <DurationControl
          node={node}
          param={{ ...DURATION, name: 'duration', label: t.after2(name) }}
          value={timer['duration']}
          onChange={(value, isTyping) => put('duration', value, isTyping)}
        />
      </Field>
      <Field label={t.then}>
        <select
          className="in"
          aria-label={t.whatItDoes(name)}
          value={timer['interrupting'] === true ? 'instead' : 'beside'}
          onChange={(event) => put('interrupting', event.target.value === 'instead')}
        >
          <option value="beside">{t.doThisAsWell}</option>
          <option value="instead">{t.giveUpAndGo}</option>
        </select>
        <TargetSelect from={node.id} port={timerPort(at)} label={t.leadsTo2(name)} />
      </Field>
    </>
  );
}

export function TimersControl({ node }: ControlProps) {
  const { dispatch, openAdd } = useBuilder();
  const timers = timersOf(node.raw);
  return (
    <div className={styles['rows']}>
      {timers.map((_, at) => (
        <div key={at} className={styles['card']}>
          <div className="row">
            <span className="m s grow">{t.timer(at + 1)}</span>
            <RemoveButton
              label={t.removeTimer(at + 1)}
              onClick={() =>
                dispatch({
                  kind: 'setField',
                  id: node.id,
                  path: ['boundaryEvents'],
                  value: timers.length === 1 ? undefined : timers.filter((_, i) => i !== at),
                })
              }
            />
          </div>
          <TimerFields node={node} at={at} />
        </div>
      ))}
      <button
        type="button"
        className="btn small quiet"
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          openAdd({
            place: { kind: 'port', node: node.id, port: timerPort(timers.length) },
            at: { x: left + 132, y: bottom + 4 },
            opener: event.currentTarget,
          });
        }}
      >
        <Icon name="plus" small />
        {t.addATimer}
      </button>
    </div>
  );
}

/* A pause that grows with each try; only its beginning is asked. */
export function BackoffControl({ node, param, value, onChange }: ControlProps) {
  const backoff: JsonObject = isObject(value) ? value : {};
  return (
    <DurationControl
      node={node}
      param={{ ...DURATION, name: param.name, label: param.label }}
      value={backoff['initial']}
      onChange={(initial, isTyping) =>
        onChange(initial === undefined ? undefined : { ...backoff, initial }, isTyping)
      }
    />
  );
}

export function JoinStepControl({ node, param, value, onChange }: ControlProps) {
  const { flow } = useBuilder();
  const joins = nodesOf(flow).filter((each) => each.type === 'JOIN_GATEWAY');
  const now = textOf(value);
  return (
    <select
      className="in"
      aria-label={param.label}
      value={now}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      {!joins.some((each) => each.id === now) && <option value={now}>{now === '' ? t.choose : now}</option>}
      {joins
        .filter((each) => each.id !== node.id)
        .map((each) => (
          <option key={each.id} value={each.id}>
            {each.label || each.id}
          </option>
        ))}
    </select>
  );
}

interface ValueRowsProps {
  readonly label: string;
  readonly values: JsonObject;
  readonly onChange: (values: JsonObject, isTyping: boolean) => void;
}

/* Names and values: a text, a number, yes or no, what a step gave, or a formula. */
function ValueRows({ label, values, onChange }: ValueRowsProps) {
  const rows = Object.entries(values);
  const put = (next: readonly (readonly [string, Json | undefined])[], isTyping: boolean) =>
    onChange(Object.fromEntries(next), isTyping);
  const putAt = (at: number, name: string, value: Json | undefined, isTyping: boolean) =>
    put(
      rows.map((row, i) => (i === at ? [name, value] : row)),
      isTyping,
    );
  return (
    <div className={styles['rows']}>
      {rows.map(([name, value], i) => {
        const kind = kindOfValue(value);
        return (
          <div key={i} className={styles['valueRow']}>
            <input
              className="in"
              aria-label={t.nameOf(i + 1, label)}
              placeholder={t.name2}
              value={name}
              onChange={(event) => {
                const next = event.target.value;
                if (!rows.some(([other], j) => j !== i && other === next)) putAt(i, next, value, true);
              }}
            />
            <RemoveButton
              label={t.remove(name)}
              onClick={() =>
                put(
                  rows.filter((_, j) => j !== i),
                  false,
                )
              }
            />
            <select
              className="in"
              aria-label={t.kindOf(name)}
              value={kind}
              onChange={(event) => putAt(i, name, valueOfKind(event.target.value, wordOfValue(value)), false)}
            >
              {kind === 'other' && <option value="other">{t.aListOrAnObject}</option>}
              {VALUE_KINDS.map((each) => (
                <option key={each.kind} value={each.kind}>
                  {each.word}
                </option>
              ))}
            </select>
            {kind === 'yesNo' ? (
              <select
                className="in"
                aria-label={t.valueOf2(name)}
                value={wordOfValue(value)}
                onChange={(event) => putAt(i, name, event.target.value === 'true', false)}
              >
                <option value="true">{t.yes}</option>
                <option value="false">{t.no}</option>
              </select>
            ) : (
              <input
                className={kind === 'formula' ? 'in mono' : 'in'}
                aria-label={t.valueOf2(name)}
                placeholder={kind === 'formula' ? t.amount2 : t.value}
                disabled={kind === 'other'}
                value={wordOfValue(value)}
                onChange={(event) => putAt(i, name, valueOfKind(kind, event.target.value), true)}
              />
            )}
          </div>
        );
      })}
      <button
        type="button"
        className="btn small quiet"
        onClick={() => put([...rows, [freeName(rows.map(([name]) => name)), '']], false)}
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

export function ValuesControl({ param, value, onChange }: ControlProps) {
  return <ValueRows label={param.label} values={isObject(value) ? value : {}} onChange={onChange} />;
}

/* A rule is what must hold in each column, and what it gives then. */
export function RulesControl({ node, value, onChange }: ControlProps) {
  const { store } = useBuilder();
  const [, navigate] = useLocation();
  const table: JsonObject = isObject(value) ? value : {};
  const rules = isList(table['rules']) ? table['rules'].filter(isObject) : [];
  const put = (next: readonly JsonObject[], isTyping = false) =>
    onChange({ ...table, rules: [...next] }, isTyping);
  const columns = [
    ...new Set(rules.flatMap((rule) => (isObject(rule['when']) ? Object.keys(rule['when']) : []))),
  ];
  const results = [
    ...new Set(rules.flatMap((rule) => (isObject(rule['outputs']) ? Object.keys(rule['outputs']) : []))),
  ];
  const putRule = (at: number, member: string, next: JsonObject, isTyping: boolean) =>
    put(
      rules.map((rule, i) => (i === at ? { ...rule, [member]: next } : rule)),
      isTyping,
    );
  const openTable = async () => {
    await store.saveNow();
    navigate(tableAddress(store.id, node.id));
  };
  return (
    <div className={styles['rows']}>
      <Button isSmall icon="table" onClick={() => void openTable()}>
        {t.editAsATable}
      </Button>
      {rules.map((rule, at) => {
        const when: JsonObject = isObject(rule['when']) ? rule['when'] : {};
        return (
          <div key={at} className={styles['card']}>
            <div className="row">
              <span className="m s grow">{t.rule(at + 1)}</span>
              {at > 0 && (
                <button
                  type="button"
                  className="btn quiet icon small"
                  aria-label={t.askRuleEarlier(at + 1)}
                  title={t.askEarlier}
                  onClick={() => {
                    const next = [...rules];
                    next.splice(at - 1, 2, rule, ...rules.slice(at - 1, at));
                    put(next);
                  }}
                >
                  ↑
                </button>
              )}
              <RemoveButton
                label={t.removeRule(at + 1)}
                onClick={() => put(rules.filter((_, i) => i !== at))}
              />
            </div>
            {columns.map((column) => (
              <Field key={column} label={column}>
                <input
                  className="in mono"
                  aria-label={t.rule2(at + 1, column)}
                  placeholder={t.anything}
                  spellCheck={false}
                  value={textOf(when[column])}
                  onChange={(event) =>
                    putRule(
                      at,
                      'when',
                      withMember(when, column, event.target.value === '' ? undefined : event.target.value),
                      true,
                    )
                  }
                />
              </Field>
            ))}
            <AddColumn at={at} onAdd={(column) => putRule(at, 'when', { ...when, [column]: '' }, false)} />
            <span className="label">{t.then}</span>
            <ValueRows
              label={t.rule3(at + 1)}
              values={isObject(rule['outputs']) ? rule['outputs'] : {}}
              onChange={(outputs, isTyping) => putRule(at, 'outputs', outputs, isTyping)}
            />
          </div>
        );
      })}
      <button
        type="button"
        className="btn small quiet"
        onClick={() =>
          put([...rules, { when: {}, outputs: Object.fromEntries(results.map((name) => [name, ''])) }])
        }
      >
        <Icon name="plus" small />
        {t.addARule}
      </button>
    </div>
  );
}

function AddColumn({ at, onAdd }: { readonly at: number; readonly onAdd: (column: string) => void }) {
  return (
    <form
      className={styles['ask']}
      onSubmit={(event) => {
        event.preventDefault();
        const input = event.currentTarget.elements.namedItem('column');
        if (!(input instanceof HTMLInputElement) || input.value.trim() === '') return;
        onAdd(input.value.trim());
        input.value = '';
      }}
    >
      <input
        className="in"
        name="column"
        aria-label={t.ruleAnotherThingToLook(at + 1)}
        placeholder={t.lookAtThenEnter}
        autoComplete="off"
      />
      <button type="submit" className="btn icon" aria-label={t.ruleAddWhatToLook(at + 1)}>
        <Icon name="plus" small />
      </button>
    </form>
  );
}
