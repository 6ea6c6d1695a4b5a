/* pages/runs/filter-bar.tsx — the filters as chips, and a form for one more. */
import { useQuery } from '@tanstack/react-query';

import { definitionNamesQuery } from '../../api/definitions';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import {
  chipsOf,
  NO_FILTER,
  parseFilter,
  printFilter,
  type RunFilter,
  STARTED,
  startedWord,
  TEXT_FILTERS,
  TEXT_NAMES,
  WAITING_FOR,
  without,
} from '../../ui/run-filter';
import { useTyped } from '../../ui/use-typed';
import { lookOf, STATUSES } from '../../ui/words';
import { t } from '../../texts/runs';
import styles from './runs.module.css';

interface FilterBarProps {
  readonly filter: RunFilter;
  readonly onChange: (filter: RunFilter) => void;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/* A whole reason comes from a link; nobody types one. */
const FREE_TEXTS = TEXT_NAMES.filter(
  (name) => !['definitionId', 'waitingFor', 'version', 'reason'].includes(name),
);
const HELP: Partial<Record<keyof RunFilter, string>> = {
  reasonContains: t.aPartOfTheReason,
  failedAt: t.itsNameAsTheFlow,
  waitingAt: t.itsNameAsTheFlow,
};

function FilterDialog({
  filter,
  onChange,
  onClose,
}: {
  readonly filter: RunFilter;
  readonly onChange: (filter: RunFilter) => void;
  readonly onClose: () => void;
}) {
  const [text, setText, forget] = useTyped('filter', printFilter(filter));
  const draft = parseFilter(new URLSearchParams(text));
  const setDraft = (next: RunFilter) => setText(printFilter(next));
  const definitions = useQuery(definitionNamesQuery());
  const put = <Name extends keyof RunFilter>(name: Name, value: RunFilter[Name]) =>
    setDraft({ ...draft, [name]: value });
  return (
    <Dialog
      title={t.whichRunsToShow}
      onClose={onClose}
      onSubmit={() => {
        forget();
        onChange(draft);
        onClose();
      }}
      footer={
        <>
          <Button look="quiet" onClick={() => setDraft(NO_FILTER)}>
            {t.clearAll}
          </Button>
          <Button look="primary" type="submit">
            {t.show}
          </Button>
        </>
      }
    >
      <fieldset>
        <legend className="label">{t.status}</legend>
        <div className={styles['boxes']}>
          {STATUSES.map((status) => (
            <label key={status}>
              <input
                type="checkbox"
                className="cb"
                checked={draft.status.includes(status)}
                onChange={() =>
                  put(
                    'status',
                    STATUSES.filter((each) => (each === status) !== draft.status.includes(each)),
                  )
                }
              />
              {lookOf(status).word}
            </label>
          ))}
        </div>
      </fieldset>
      <div className={styles['fields']}>
        <label className="field">
          <span className="label">{t.flow}</span>
          <select
            className="in"
            value={draft.definitionId}
            onChange={(event) => put('definitionId', event.target.value)}
          >
            <option value="">{t.everyFlow}</option>
            {draft.definitionId !== '' &&
              definitions.data?.items.every(({ id }) => id !== draft.definitionId) !== false && (
                <option value={draft.definitionId}>{draft.definitionId}</option>
              )}
            {definitions.data?.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="label">{t.started}</span>
          <select
            className="in"
            value={draft.started ?? ''}
            onChange={(event) => put('started', STARTED.find((each) => each === event.target.value) ?? null)}
          >
            <option value="">{t.atAnyTime}</option>
            {STARTED.map((started) => (
              <option key={started} value={started}>
                {startedWord(started)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="label">{TEXT_FILTERS.waitingFor}</span>
          <select
            className="in"
            value={draft.waitingFor}
            onChange={(event) => put('waitingFor', event.target.value)}
          >
            <option value="">{t.anything}</option>
            {WAITING_FOR.map((each) => (
              <option key={each} value={each}>
                {t.a(each)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="label">{TEXT_FILTERS.version}</span>
          <input
            className="in"
            inputMode="numeric"
            pattern="[1-9][0-9]*"
            value={draft.version}
            onChange={(event) => put('version', event.target.value)}
          />
        </label>
        {FREE_TEXTS.map((name) => (
          <label key={name} className="field">
            <span className="label">{TEXT_FILTERS[name]}</span>
            <input
              className="in"
              value={draft[name]}
              placeholder={HELP[name]}
              onChange={(event) => put(name, event.target.value)}
            />
          </label>
        ))}
      </div>
    </Dialog>
  );
}

export function FilterBar({ filter, onChange, isOpen, onOpen }: FilterBarProps) {
  return (
    <div className={styles['filters']} role="group" aria-label={t.filters}>
      {chipsOf(filter).map(({ name, label, value }) => (
        <span key={name} className="chip">
          <span className="k">{label}</span>
          <b className={`cut ${styles['value'] ?? ''}`} dir="auto" title={value}>
            {value}
          </b>
          <button
            type="button"
            className="x"
            aria-label={t.remove(label, value)}
            onClick={() => onChange(without(filter, name))}
          >
            <Icon name="close" small />
          </button>
        </span>
      ))}
      <button type="button" className="chip add" onClick={() => onOpen(true)}>
        <Icon name="plus" small />
        {t.addAFilter(<kbd>F</kbd>)}
      </button>
      <span className="grow" />
      <CopyButton text={location.href} what={t.theAddressOfThisList} />
      {isOpen && <FilterDialog filter={filter} onChange={onChange} onClose={() => onOpen(false)} />}
    </div>
  );
}
