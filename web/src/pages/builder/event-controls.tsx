/* pages/builder/event-controls.tsx — what a step waits for, and by what an arrival and a run belong together. */
import { useId, useState } from 'react';

import { parseCorrelation, printCorrelation } from '../../flow/correlation';
import { type DataItem, fieldsOf, inputSchemaOf, sayName } from '../../flow/data';
import { findNode, type FlowNode, linesFrom, startsOf } from '../../flow/flow';
import { textOf } from '../../flow/json';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { DataList } from './data-list';
import { type ControlProps, Field } from './field';
import { lookOfType } from './kinds';
import styles from './panel.module.css';

const NEW_EVENTS = [
  { type: 'trigger_webhook', word: t.aWebRequestOfItsOwn, label: t.answerArrives },
  { type: 'trigger_mqtt', word: t.aMessageOfItsOwn, label: t.messageArrives },
] as const;

/** The event that a step waits for: one that is there, or a new one. */
export function EventControl({ node, param, value, onChange }: ControlProps) {
  const { flow, types, dispatch, select } = useBuilder();
  const chosen = textOf(value);
  const trigger = findNode(flow, chosen);
  const nameOf = (start: FlowNode) => start.label || (types.get(start.type)?.label ?? start.id);
  return (
    <>
      <div className={styles['target']}>
        <select
          className="in"
          aria-label={param.label}
          value={chosen}
          onChange={(event) => {
            const made = NEW_EVENTS.find((each) => each.type === event.target.value);
            if (made !== undefined)
              dispatch({ kind: 'waitFor', id: node.id, type: made.type, label: made.label });
            else onChange(event.target.value === '' ? undefined : event.target.value);
          }}
        >
          <option value="">{t.choose}</option>
          {chosen !== '' && trigger === undefined && <option value={chosen}>{chosen}</option>}
          {startsOf(flow).map((start) => (
            <option key={start.id} value={start.id}>
              {nameOf(start)}
            </option>
          ))}
          {NEW_EVENTS.filter((each) => types.has(each.type)).map((each) => (
            <option key={each.type} value={each.type}>
              {each.word}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="btn icon"
          aria-label={t.showIt(param.label)}
          title={t.showIt2}
          disabled={trigger === undefined}
          onClick={() => trigger !== undefined && select({ kind: 'nodes', ids: [trigger.id] })}
        >
          <Icon name="go" small />
        </button>
      </div>
      {trigger !== undefined && <Together trigger={trigger} />}
    </>
  );
}

/* An arrival finds its run by a value that both have: what started the run, and what arrives. */
function Together({ trigger }: { readonly trigger: FlowNode }) {
  const { flow, types } = useBuilder();
  const starts = startsOf(flow).filter(
    (start) =>
      start.id !== trigger.id && start.type !== 'trigger_cron' && linesFrom(flow, start.id).length > 0,
  );
  return (
    <div className={styles['together']}>
      {[...starts, trigger].map((start) => {
        const name = start.label || (types.get(start.type)?.label ?? start.id);
        return (
          <Field key={start.id} label={t.belongsTogether(name)}>
            <Correlation node={start} label={t.belongsTogether(name)} />
          </Field>
        );
      })}
    </div>
  );
}

export function CorrelationControl({ node, param }: ControlProps) {
  return <Correlation node={node} label={param.label} />;
}

function Correlation({ node, label }: { readonly node: FlowNode; readonly label: string }) {
  const { flow, dispatch } = useBuilder();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const path = textOf(node.config['correlationExpression']);
  const field = path === '' ? null : parseCorrelation(path);
  const fields = fieldsOf(inputSchemaOf(flow, node));
  const put = (value: string | undefined, isTyping = false) =>
    dispatch(
      { kind: 'setField', id: node.id, path: ['correlationExpression'], value },
      isTyping ? `correlation:${node.id}` : undefined,
    );
  const items = fields.map(({ name, label: word, type }): DataItem => ({
    path: ['trigger', 'payload', name],
    label: word,
    type,
    node: node.id,
    nodeType: node.type,
    choices: [],
  }));
  if (path !== '' && field === null)
    return (
      <input
        className="in mono"
        aria-label={label}
        value={path}
        onChange={(event) => put(event.target.value === '' ? undefined : event.target.value, true)}
      />
    );
  return (
    <div className={`in ${styles['chips'] ?? ''}`}>
      {field !== null && (
        <span className={styles['chip']}>
          <span className="data" data-colour={lookOfType(node.type).colour}>
            {fields.find((each) => each.name === field)?.label ?? sayName(field)}
          </span>
          <button type="button" aria-label={t.remove2(sayName(field))} onClick={() => put(undefined)}>
            <Icon name="close" small />
          </button>
        </span>
      )}
      <input
        aria-label={label}
        placeholder={field === null ? t.pickOrTypePressEnter : ''}
        readOnly={field !== null}
        onKeyDown={(event) => {
          const word = event.currentTarget.value.trim();
          if (event.key === 'Enter' && word !== '') {
            event.preventDefault();
            put(printCorrelation(word));
            event.currentTarget.value = '';
          } else if ((event.key === ' ' && event.ctrlKey) || (event.key === 'ArrowDown' && event.altKey)) {
            event.preventDefault();
            setOpen(items.length > 0);
          } else if (event.key === 'Backspace' && word === '' && field !== null) put(undefined);
        }}
      />
      <button
        type="button"
        className={styles['chipPick']}
        aria-label={t.pickAValue(label)}
        title={t.pickAValueOfWhat}
        aria-expanded={isOpen}
        disabled={items.length === 0}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="plus" small />
      </button>
      {isOpen && (
        <DataList
          id={id}
          items={items}
          onPick={(item) => {
            setOpen(false);
            put(printCorrelation(String(item.path.at(-1))));
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
