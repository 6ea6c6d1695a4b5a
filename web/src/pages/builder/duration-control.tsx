/* pages/builder/duration-control.tsx — a length of time: a number and a unit. Others are left to the text view. */
import { useState } from 'react';

import {
  durationOfMs,
  parseDuration,
  printDuration,
  printIsoDuration,
  sayDuration,
  singleOf,
  type Unit,
  UNITS,
} from '../../flow/duration';
import { textOf } from '../../flow/json';
import { t } from '../../texts/panel';
import { unitWord } from '../../texts/say';
import type { ControlProps } from './field';
import styles from './panel.module.css';

export function DurationControl({ param, value, onChange }: ControlProps) {
  const known =
    typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? durationOfMs(value) : null;
  const usual = typeof param.default === 'string' ? sayDuration(param.default) : t.anyTime;
  const [unit, setUnit] = useState<Unit>(known?.unit ?? 'days');
  if (value !== undefined && known === null)
    return (
      <p className="help">
        {t.changeItInTheText(typeof value === 'number' ? t.ms(value) : sayDuration(textOf(value)))}
      </p>
    );
  const shown = known?.unit ?? unit;
  const print = param.kind === 'iso_duration' ? printIsoDuration : printDuration;
  const set = (count: string, next: Unit) => {
    setUnit(next);
    const number = Math.floor(Number(count));
    onChange(
      count === '' || !(number > 0) ? undefined : print({ count: Math.min(number, 999_999), unit: next }),
      true,
    );
  };
  return (
    <div className={styles['pair']}>
      <input
        className="in"
        type="number"
        min={1}
        aria-label={param.label}
        placeholder={usual}
        value={known === null ? '' : known.count}
        onChange={(event) => set(event.target.value, shown)}
      />
      <select
        className="in"
        aria-label={t.unit(param.label)}
        value={shown}
        onChange={(event) => set(known === null ? '' : String(known.count), event.target.value as Unit)}
      >
        {UNITS.map((each) => (
          <option key={each} value={each}>
            {unitWord(2, singleOf(each))}
          </option>
        ))}
      </select>
    </div>
  );
}
