/* pages/builder/life-controls.tsx — when a call is tried again, and what undoes a step. */
import { linesTo, nodesOf } from '../../flow/flow';
import { isObject, type Json, type JsonObject, textOf, withMember } from '../../flow/json';
import { defaultOf, givenOf, isMeant, nameIn } from '../../flow/table';
import type { NodeParam } from '../../flow/data';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { Control } from './controls';
import type { ControlProps } from './field';
import styles from './panel.module.css';

interface FieldsProps {
  readonly node: ControlProps['node'];
  readonly params: readonly NodeParam[];
  readonly object: JsonObject;
  readonly onChange: (name: string, value: Json | undefined, isTyping?: boolean) => void;
}

/** The fields of the table that mean something in an object. */
export function Fields({ node, params, object, onChange }: FieldsProps) {
  return params
    .filter((param) => isMeant(param, params, object))
    .map((param) => (
      <Control
        key={param.name}
        node={node}
        param={{ ...param, default: defaultOf(param, params, object) }}
        value={givenOf(param, object)}
        onChange={(value, isTyping) => onChange(nameIn(param, object), value, isTyping)}
      />
    ));
}

const FIRST_TRY: JsonObject = { maxAttempts: 3 };

export function RetryControl({ node, param, value, onChange }: ControlProps) {
  const { table } = useBuilder();
  const policy: JsonObject = isObject(value) ? value : {};
  const isOn = Object.keys(policy).length > 0;
  return (
    <>
      <label className={styles['check']}>
        <input
          type="checkbox"
          className="cb"
          checked={isOn}
          onChange={(event) => onChange(event.target.checked ? FIRST_TRY : undefined)}
        />
        {t.asISayHere}
      </label>
      {isOn && (
        <div className={styles['together']} role="group" aria-label={param.label}>
          <Fields
            node={node}
            params={table.retry}
            object={policy}
            onChange={(name, next, isTyping) => {
              const changed = withMember(policy, name, next);
              onChange(Object.keys(changed).length === 0 ? undefined : changed, isTyping);
            }}
          />
        </div>
      )}
    </>
  );
}

const CALLS = ['action_http', 'action_db', 'action_email', 'action_mcp', 'action_subflow'] as const;

/** A step that no line leads to, or a call that is only for that. */
export function UndoControl({ node, param, value, onChange }: ControlProps) {
  const { flow, types } = useBuilder();
  const call: JsonObject = isObject(value) ? value : {};
  const type = textOf(call['type']);
  const chosen = typeof value === 'string' ? value : type === '' ? '' : `call:${type}`;
  const steps = nodesOf(flow).filter(
    ({ id, type: kind }) =>
      id !== node.id &&
      types.get(kind)?.kind !== 'trigger' &&
      (id === chosen || linesTo(flow, id).length === 0),
  );
  const config: JsonObject = isObject(call['config']) ? call['config'] : {};
  return (
    <>
      <select
        className="in"
        aria-label={param.label}
        value={chosen}
        onChange={(event) => {
          const next = event.target.value;
          if (next.startsWith('call:')) onChange({ type: next.slice('call:'.length), config: {} });
          else onChange(next === '' ? undefined : next);
        }}
      >
        <option value="">{t.nothing}</option>
        {CALLS.map((each) => (
          <option key={each} value={`call:${each}`}>
            {types.get(each)?.label ?? each}
          </option>
        ))}
        {steps.map((step) => (
          <option key={step.id} value={step.id}>
            {step.label || (types.get(step.type)?.label ?? step.id)}
          </option>
        ))}
      </select>
      {type !== '' && (
        <div className={styles['together']} role="group" aria-label={t.call(param.label)}>
          <Fields
            node={node}
            params={types.get(type)?.params ?? []}
            object={config}
            onChange={(name, next, isTyping) =>
              onChange({ ...call, config: withMember(config, name, next) }, isTyping)
            }
          />
        </div>
      )}
    </>
  );
}
