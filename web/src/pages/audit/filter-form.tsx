/* pages/audit/filter-form.tsx — the filters of the audit. They count when they are sent, and are in the address then. */
import { type ReactNode, useId, useState } from 'react';

import { Button } from '../../ui/button';
import { t } from '../../texts/audit';
import { type AuditFilter, NO_FILTER, printFilter } from './audit-filter';
import styles from './audit.module.css';

interface FilterFormProps {
  readonly filter: AuditFilter;
  readonly onFilter: (filter: AuditFilter) => void;
}

export function FilterForm({ filter, onFilter }: FilterFormProps) {
  const [draft, setDraft] = useState(filter);
  const field = (name: keyof AuditFilter, label: string, more: object = {}) => (
    <Labelled label={label}>
      {(id) => (
        <input
          id={id}
          className="in"
          autoComplete="off"
          spellCheck={false}
          value={draft[name]}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
          {...more}
        />
      )}
    </Labelled>
  );
  return (
    <form
      role="search"
      aria-label={t.filterTheAudit}
      className={styles['filter']}
      onSubmit={(event) => {
        event.preventDefault();
        onFilter(draft);
      }}
    >
      {field('principal', t.who, { placeholder: 'user:ada' })}
      {field('action', t.did, { placeholder: 'instance.*' })}
      {field('object', t.to)}
      <Labelled label={t.outcome}>
        {(id) => (
          <select
            id={id}
            className="in"
            value={draft.outcome}
            onChange={(event) => setDraft({ ...draft, outcome: event.target.value })}
          >
            <option value="">{t.any}</option>
            <option value="done">{t.done2}</option>
            <option value="refused">{t.refused2}</option>
          </select>
        )}
      </Labelled>
      {field('since', t.since, { type: 'datetime-local' })}
      {field('until', t.until, { type: 'datetime-local' })}
      <span className={styles['send']}>
        <Button type="submit">{t.filter}</Button>
        {printFilter(filter).size > 0 && (
          <Button look="quiet" onClick={() => onFilter(NO_FILTER)}>
            {t.clear}
          </Button>
        )}
      </span>
    </form>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly children: (id: string) => ReactNode;
}

function Labelled({ label, children }: LabelledProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}
