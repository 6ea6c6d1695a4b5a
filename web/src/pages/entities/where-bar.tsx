/* pages/entities/where-bar.tsx — which entities the list shows: a state, and conditions in three drop-downs: field, is, value. */
import { type SubmitEvent, useId, useRef, useState } from 'react';

import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { titleOfName } from '../../ui/form/schema';
import { t } from '../../texts/entities';
import styles from './entities.module.css';
import {
  type EntityFilter,
  type Operator,
  operatorsOf,
  operatorWord,
  wantsValue,
  type Where,
} from './entity-filter';
import type { EntityField } from './fields';

const titleOf = (path: string, fields: readonly EntityField[]) =>
  fields.find((field) => field.path === path)?.title ?? titleOfName(path);

function Chip({
  says,
  onRemove,
  children,
}: {
  readonly says: string;
  readonly onRemove: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <span className={`chip ${styles['chip'] ?? ''}`}>
      <span className="cut">{children}</span>
      <button type="button" className="x" aria-label={t.remove(says)} onClick={onRemove}>
        <Icon name="close" small />
      </button>
    </span>
  );
}

interface WhereFormProps {
  readonly fields: readonly EntityField[];
  readonly onAdd: (where: Where) => void;
  readonly onClose: () => void;
}

function WhereForm({ fields, onAdd, onClose }: WhereFormProps) {
  const id = useId();
  const [path, setPath] = useState(fields[0]?.path ?? '');
  const [operator, setOperator] = useState<Operator>('EQUALS');
  const [value, setValue] = useState('');
  const field = fields.find((each) => each.path === path);
  if (field === undefined) return null;
  const operators = operatorsOf(field);
  const chosen = operators.find((each) => each === operator) ?? 'EQUALS';
  const yesNo = value === 'no' ? t.no : t.yes;
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const entered = !wantsValue(chosen) ? '' : field.type === 'yesNo' ? yesNo : value.trim();
    if (entered !== '' || !wantsValue(chosen)) onAdd({ path, operator: chosen, value: entered });
  };
  return (
    <form className={styles['where']} onSubmit={send} aria-label={t.searchByAField}>
      <select
        id={`${id}f`}
        className="in"
        aria-label={t.field}
        value={path}
        // eslint-disable-next-line jsx-a11y/no-autofocus -- Its button was just pressed.
        autoFocus
        onChange={(event) => setPath(event.target.value)}
      >
        {fields.map((each) => (
          <option key={each.path} value={each.path}>
            {each.title}
          </option>
        ))}
      </select>
      <select
        className="in"
        aria-label={t.is2}
        value={chosen}
        onChange={(event) => setOperator(operators.find((each) => each === event.target.value) ?? 'EQUALS')}
      >
        {operators.map((each) => (
          <option key={each} value={each}>
            {operatorWord(each)}
          </option>
        ))}
      </select>
      {wantsValue(chosen) && field.type === 'yesNo' && (
        <select
          className="in"
          aria-label={t.value}
          value={yesNo}
          onChange={(event) => setValue(event.target.value)}
        >
          <option value="yes">{t.yes}</option>
          <option value="no">{t.no}</option>
        </select>
      )}
      {wantsValue(chosen) && field.type !== 'yesNo' && (
        <input
          className="in"
          aria-label={t.value}
          placeholder={t.value}
          inputMode={field.type === 'number' ? 'decimal' : 'text'}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      )}
      <Button type="submit">{t.search}</Button>
      <Button look="quiet" icon="close" label={t.doNotSearch} onClick={onClose} />
    </form>
  );
}

interface WhereBarProps {
  readonly filter: EntityFilter;
  readonly fields: readonly EntityField[];
  readonly onChange: (filter: EntityFilter) => void;
}

export function WhereBar({ filter, fields, onChange }: WhereBarProps) {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  return (
    <div className={styles['filters']}>
      {filter.state !== '' && (
        <Chip says={t.inState(filter.state)} onRemove={() => onChange({ ...filter, state: '' })}>
          <span className="k">{t.stateIs}</span> <b>{filter.state}</b>
        </Chip>
      )}
      {filter.where.map((each, index) => {
        const title = titleOf(each.path, fields);
        return (
          <Chip
            key={index}
            says={`${title} ${operatorWord(each.operator)} ${each.value}`}
            onRemove={() => onChange({ ...filter, where: filter.where.filter((_, at) => at !== index) })}
          >
            <span className="k">
              {title} {operatorWord(each.operator)}
            </span>{' '}
            <b>{each.value}</b>
          </Chip>
        );
      })}
      {isOpen ? (
        <WhereForm
          fields={fields}
          onAdd={(where) => {
            close();
            onChange({ ...filter, where: [...filter.where, where] });
          }}
          onClose={close}
        />
      ) : (
        <button
          ref={opener}
          type="button"
          className="chip add"
          disabled={fields.length === 0}
          onClick={() => setOpen(true)}
        >
          <Icon name="search" small />
          {t.searchByAField}
        </button>
      )}
    </div>
  );
}
