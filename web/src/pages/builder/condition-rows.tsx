/* pages/builder/condition-rows.tsx — when to go a way: field, is, value; rows joined by all or any. */
import type { ReactNode } from 'react';

import {
  conditionOf,
  isAlone,
  type Operator,
  OPERATOR_WORDS,
  OPERATORS,
  type Row,
  type Rows,
} from '../../flow/condition';
import { type DataItem, dataAt, labelPath, tellApart } from '../../flow/data';
import { isSteps } from '../../flow/format';
import { type Json, textOf } from '../../flow/json';
import { readRows } from '../../flow/say';
import { expressionOf } from '../../flow/steps/expression';
import { onlyPath, templateOf } from '../../flow/template';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import styles from './panel.module.css';

interface ConditionRowsProps {
  /** The step that asks; its own outputs can be asked, too. */
  readonly nodeId: string;
  readonly condition: Json | undefined;
  readonly onChange: (condition: Json | undefined, isTyping?: boolean) => void;
  /** The values that can be asked for; absent: all data that the step sees. */
  readonly items?: readonly DataItem[];
}

const NUMBER_OPS: readonly Operator[] = ['gt', 'gte', 'lt', 'lte', 'eq', 'neq', 'exists', 'not_exists'];
const YES_OPS: readonly Operator[] = ['is_true', 'is_false', 'exists', 'not_exists'];
const TEXT_OPS: readonly Operator[] = [
  'eq',
  'neq',
  'contains',
  'starts_with',
  'is_empty',
  'is_not_empty',
  'exists',
  'not_exists',
];

function operatorsFor(item: DataItem | undefined, now: Operator): readonly Operator[] {
  const fits =
    item?.type === 'number' || item?.type === 'integer'
      ? NUMBER_OPS
      : item?.type === 'boolean'
        ? YES_OPS
        : item?.type === 'string'
          ? TEXT_OPS
          : OPERATORS;
  return fits.includes(now) ? fits : [...fits, now];
}

function firstOperator(item: DataItem): Operator {
  return item.type === 'number' || item.type === 'integer'
    ? 'gt'
    : item.type === 'boolean'
      ? 'is_true'
      : 'eq';
}

/* A typed text is a number where numbers are compared. */
function valueOf(text: string, item: DataItem | undefined, op: Operator): Json {
  const isNumber =
    item?.type === 'number' || item?.type === 'integer' || ['gt', 'gte', 'lt', 'lte'].includes(op);
  const number = Number(text.replaceAll(',', ''));
  return isNumber && text.trim() !== '' && Number.isFinite(number) ? number : text;
}

export function ConditionRows({ nodeId, condition, onChange, items: only }: ConditionRowsProps) {
  const { flow, types } = useBuilder();
  const rows = readRows(flow, condition);
  const items = only ?? dataAt(flow, nodeId, types, true);
  if (rows === null && isSteps(flow))
    return (
      <div className={styles['rows']}>
        <input
          className="in mono"
          aria-label={t.formula}
          spellCheck={false}
          value={textOf(condition)}
          onChange={(event) => onChange(event.target.value, true)}
        />
        <p className="help">{t.thisConditionIsAFormula}</p>
        <button type="button" className="btn small quiet" onClick={() => onChange(undefined)}>
          {t.chooseByRowsInstead}
        </button>
      </div>
    );
  if (rows === null) return <p className="help">{t.thisConditionIsWritten}</p>;
  const print = (next: Rows) => (isSteps(flow) ? expressionOf(next) : conditionOf(next));
  const put = (next: Rows, isTyping = false) => onChange(print(next), isTyping);
  const putRow = (at: number, row: Row, isTyping = false) =>
    put({ ...rows, rows: rows.rows.map((old, i) => (i === at ? row : old)) }, isTyping);
  const newRow = (item: DataItem): Row => {
    const op = firstOperator(item);
    return { left: templateOf(item.path), op, right: isAlone(op) ? undefined : (item.choices[0] ?? '') };
  };
  const [first] = items;
  // A way without a condition shows an empty row: choosing its field makes the condition.
  const shown: readonly (Row | null)[] = rows.rows.length === 0 && first !== undefined ? [null] : rows.rows;
  return (
    <div className={styles['rows']} data-testid="condition">
      {shown.map((row, i) => {
        const pick = (key: string) => {
          const picked = items.find((each) => JSON.stringify(each.path) === key);
          if (picked === undefined) return;
          if (row === null) put({ ...rows, rows: [newRow(picked)] });
          else putRow(i, newRow(picked));
        };
        if (row === null)
          return (
            <div key={i} className={styles['three']}>
              <FieldSelect index={i} value="" items={items} onPick={pick}>
                <option value="">{t.chooseWhatToLook}</option>
              </FieldSelect>
            </div>
          );
        const path = typeof row.left === 'string' ? onlyPath(row.left) : null;
        const key = path === null ? '' : JSON.stringify(path);
        const item = items.find((each) => JSON.stringify(each.path) === key);
        return (
          <div key={i} className={styles['three']}>
            <FieldSelect index={i} value={key} items={items} onPick={pick}>
              {item === undefined && (
                <option value={key}>{path === null ? t.aValue : labelPath(flow, path, types).label}</option>
              )}
            </FieldSelect>
            <select
              className="in"
              aria-label={t.rowIs(i + 1)}
              value={row.op}
              onChange={(event) => {
                const op = event.target.value as Operator;
                putRow(i, { ...row, op, right: isAlone(op) ? undefined : (row.right ?? '') });
              }}
            >
              {operatorsFor(item, row.op).map((op) => (
                <option key={op} value={op}>
                  {OPERATOR_WORDS[op]}
                </option>
              ))}
            </select>
            {!isAlone(row.op) && (
              <ValueControl
                index={i}
                item={item}
                row={row}
                onChange={(right, isTyping) => putRow(i, { ...row, right }, isTyping)}
              />
            )}
            <button
              type="button"
              className="btn quiet icon small"
              aria-label={t.removeRow(i + 1)}
              onClick={() => put({ ...rows, rows: rows.rows.filter((_, j) => j !== i) })}
            >
              <Icon name="close" small />
            </button>
          </div>
        );
      })}
      <div className="row">
        {first !== undefined && rows.rows.length > 0 && (
          <button
            type="button"
            className="btn small quiet"
            onClick={() => put({ ...rows, rows: [...rows.rows, newRow(first)] })}
          >
            <Icon name="plus" small />
            {t.addARow}
          </button>
        )}
        <span className="grow" />
        {rows.rows.length > 1 && (
          <>
            <span className="dim s">{t.rowsMust}</span>
            <span className="seg">
              {(['all', 'any'] as const).map((join) => (
                <button
                  key={join}
                  type="button"
                  aria-pressed={rows.join === join}
                  onClick={() => put({ ...rows, join })}
                >
                  {t.fit(join)}
                </button>
              ))}
            </span>
          </>
        )}
      </div>
      {first === undefined && <p className="help">{t.noStepBeforeThisOne}</p>}
    </div>
  );
}

interface FieldSelectProps {
  readonly index: number;
  readonly value: string;
  readonly items: readonly DataItem[];
  readonly onPick: (key: string) => void;
  readonly children: ReactNode;
}

function FieldSelect({ index, value, items, onPick, children }: FieldSelectProps) {
  const { flow } = useBuilder();
  return (
    <select
      className="in"
      aria-label={t.rowField(index + 1)}
      value={value}
      onChange={(event) => onPick(event.target.value)}
    >
      {children}
      {items.map((each) => (
        <option key={each.path.join('.')} value={JSON.stringify(each.path)}>
          {tellApart(flow, each, items)}
        </option>
      ))}
    </select>
  );
}

interface ValueControlProps {
  readonly index: number;
  readonly item: DataItem | undefined;
  readonly row: Row;
  readonly onChange: (value: Json, isTyping: boolean) => void;
}

function ValueControl({ index, item, row, onChange }: ValueControlProps) {
  const { flow, types } = useBuilder();
  const label = t.rowValue(index + 1);
  const { right, op } = row;
  const path = typeof right === 'string' ? onlyPath(right) : null;
  if (path !== null) return <span className="data">{labelPath(flow, path, types).label}</span>;
  if (op === 'in')
    return (
      <input
        className="in"
        aria-label={label}
        placeholder={t.oneTwoThree}
        defaultValue={Array.isArray(right) ? right.join(', ') : ''}
        onBlur={(event) =>
          onChange(
            event.target.value.split(',').map((word) => valueOf(word.trim(), item, op)),
            false,
          )
        }
      />
    );
  if (right !== undefined && typeof right === 'object') return <span className="help">{t.aList}</span>;
  const text = String(right ?? '');
  if (item !== undefined && item.choices.length > 0) {
    const isKnown = item.choices.includes(text);
    return (
      <select
        className="in"
        aria-label={label}
        value={text}
        onChange={(event) => onChange(event.target.value, false)}
      >
        {!isKnown && <option value={text}>{text === '' ? t.choose : text}</option>}
        {item.choices.map((word) => (
          <option key={word} value={word}>
            {word}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      className="in"
      aria-label={label}
      value={text}
      onChange={(event) => onChange(valueOf(event.target.value, item, op), true)}
    />
  );
}
