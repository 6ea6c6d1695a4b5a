/* pages/builder/flow-controls.tsx — which flow a step runs, and which version of it. Loaded when a panel shows one. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link } from 'wouter';

import { definitionNamesQuery } from '../../api/definitions';
import { builderAddress } from '../../ui/addresses';
import { t } from '../../texts/panel';
import type { ControlProps } from './field';

const textOf = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** The flows that there are, by id; any other text is taken, too: the value may be computed. */
export function FlowControl({ param, value, onChange }: ControlProps) {
  const list = useId();
  const names = useQuery(definitionNamesQuery());
  const id = textOf(value);
  const known = (names.data?.items ?? []).find((item) => item.id === id);
  return (
    <>
      <input
        className="in"
        list={list}
        aria-label={param.label}
        value={id}
        placeholder={param.required ? t.chooseAFlow : t.thisFlow}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value, true)}
      />
      <datalist id={list}>
        {(names.data?.items ?? []).map((item) => (
          <option key={item.id} value={item.id}>
            {item.name}
          </option>
        ))}
      </datalist>
      {known !== undefined && (
        <Link href={builderAddress(id)} className="link s">
          {t.open(known.name)}
        </Link>
      )}
    </>
  );
}

/** The latest version, one by its number, or a text that is computed. */
export function VersionControl({ param, value, onChange }: ControlProps) {
  const text = textOf(value);
  const isPinned = value !== undefined && text !== 'latest';
  return (
    <div className="row">
      <select
        className="in"
        aria-label={param.label}
        value={isPinned ? 'pinned' : 'latest'}
        onChange={(event) => onChange(event.target.value === 'latest' ? undefined : 1)}
      >
        <option value="latest">{t.theLatest}</option>
        <option value="pinned">{t.aCertainOne}</option>
      </select>
      {isPinned && (
        <input
          className="in"
          aria-label={t.numberOfTheVersion}
          value={text}
          onChange={(event) => {
            const next = event.target.value;
            onChange(/^[1-9]\d{0,8}$/.test(next) ? Number(next) : next, true);
          }}
        />
      )}
    </div>
  );
}
