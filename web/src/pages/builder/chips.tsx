/* pages/builder/chips.tsx — a list of short texts: people, groups, answers. A chip may be a pill from an earlier step. */
import { type KeyboardEvent, useId, useMemo, useState } from 'react';

import { dataAt, labelPath } from '../../flow/data';
import { onlyPath, templateOf } from '../../flow/template';
import { whoIsNamed, type Whom } from '../../flow/who';
import { Icon } from '../../ui/icon';
import { usePerson } from '../../ui/person';
import { t } from '../../texts/builder';
import { useBuilder } from './context';
import { DataList } from './data-list';
import { lookOfType } from './kinds';
import styles from './panel.module.css';

interface ChipsProps {
  readonly label: string;
  readonly nodeId: string;
  readonly values: readonly string[];
  readonly canPick: boolean;
  /** Names of people or groups: those that the flow or the reader has are offered as one types. */
  readonly whom?: Whom | null;
  /** Why a text cannot be one of them; null: it can. */
  readonly refuse?: (text: string) => string | null;
  readonly onChange: (values: readonly string[]) => void;
}

/** Whether a message can go there: a name, an @ and a place. An address that data fill in later is judged then. */
export const refuseAddress = (text: string): string | null =>
  text.includes('{{') || /^[^\s@<>]+@[^\s@<>]+$/.test(text) || /^[^@<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(text)
    ? null
    : t.isNoEMailAddress(text);

export function Chips({ label, nodeId, values, canPick, whom = null, refuse, onChange }: ChipsProps) {
  const { flow, types } = useBuilder();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const id = useId();
  const items = useMemo(
    () => dataAt(flow, nodeId, types).filter((item) => !['object', 'boolean', 'time'].includes(item.type)),
    [flow, nodeId, types],
  );
  const person = usePerson();
  const known = useMemo(() => {
    if (whom === null) return [];
    const own = whom === 'groups' ? (person?.groups ?? []) : person === null ? [] : [person.name];
    return [...new Set([...whoIsNamed(flow, whom), ...own])].filter((name) => !values.includes(name));
  }, [flow, whom, person, values]);
  const add = (value: string) => {
    const trimmed = value.trim();
    // A text that is no address stays where it was typed, to be mended there.
    const why = trimmed === '' ? null : (refuse?.(trimmed) ?? null);
    setRefusal(why);
    if (why !== null) return;
    setText('');
    if (trimmed !== '' && !values.includes(trimmed)) onChange([...values, trimmed]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ',' || event.key === ';') {
      event.preventDefault();
      add(text);
    } else if (event.key === 'Backspace' && text === '') onChange(values.slice(0, -1));
    else if ((event.key === ' ' && event.ctrlKey) || (event.key === 'ArrowDown' && event.altKey)) {
      event.preventDefault();
      setOpen(true);
    }
  };
  const box = (
    <div className={`in ${styles['chips'] ?? ''}`}>
      {values.map((value) => {
        const path = onlyPath(value);
        const shown = path === null ? null : labelPath(flow, path, types);
        return (
          <span key={value} className={styles['chip']}>
            {shown === null ? (
              <span className="tag">{value}</span>
            ) : (
              <span className="data" data-colour={lookOfType(shown.nodeType).colour}>
                {shown.label}
              </span>
            )}
            <button
              type="button"
              aria-label={t.remove(shown?.label ?? value)}
              onClick={() => onChange(values.filter((other) => other !== value))}
            >
              <Icon name="close" small />
            </button>
          </span>
        );
      })}
      <input
        aria-label={label}
        placeholder={values.length === 0 ? t.typeANamePressEnter : t.add}
        value={text}
        list={known.length === 0 ? undefined : `${id}known`}
        aria-invalid={refusal !== null}
        aria-describedby={refusal === null ? undefined : `${id}why`}
        onChange={(event) => {
          setText(event.target.value);
          setRefusal(null);
        }}
        onBlur={() => add(text)}
        onKeyDown={onKeyDown}
      />
      {known.length > 0 && (
        <datalist id={`${id}known`}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      {canPick && (
        <button
          type="button"
          className={styles['chipPick']}
          aria-label={t.insertAValueInto(label)}
          title={t.insertAValue}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="plus" small />
        </button>
      )}
      {isOpen && (
        <DataList
          id={id}
          items={items}
          onPick={(item) => {
            setOpen(false);
            add(templateOf(item.path));
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
  return (
    <>
      {box}
      {refusal !== null && (
        <p id={`${id}why`} className="st failed s" role="alert">
          {refusal}
        </p>
      )}
    </>
  );
}
