/* ui/value-list.tsx — an object as names and values; what is nested is counted here and whole in its title and as JSON. */
import { t } from '../texts/ui';
import styles from './value-list.module.css';
import { shortValue } from './words';

const ROWS_MAX = 50;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NONE: ReadonlySet<string> = new Set();

/** Names and values of an object; one step into objects inside, but for those that stay closed: `customer.name`. */
export function rowsOf(value: unknown, closed = NONE): readonly (readonly [string, unknown])[] {
  if (!isObject(value)) return value === undefined || value === null ? [] : [['', value]];
  return Object.entries(value).flatMap(([name, inner]): (readonly [string, unknown])[] =>
    isObject(inner) && !closed.has(name) && Object.keys(inner).length > 0 && Object.keys(inner).length <= 8
      ? Object.entries(inner).map(([deeper, each]) => [`${name}.${deeper}`, each] as const)
      : [[name, inner]],
  );
}

export function ValueList({
  value,
  empty = t.nothing,
  closed = NONE,
}: {
  readonly value: unknown;
  readonly empty?: string;
  readonly closed?: ReadonlySet<string>;
}) {
  const rows = rowsOf(value, closed);
  if (rows.length === 0) return <p className="dim s">{empty}</p>;
  return (
    <dl className={styles['values']}>
      {rows.slice(0, ROWS_MAX).map(([name, each]) => (
        <div key={name}>
          <dt title={name}>{name === '' ? t.value : name}</dt>
          <dd title={typeof each === 'object' ? JSON.stringify(each, null, 2).slice(0, 2000) : undefined}>
            {shortValue(each)}
          </dd>
        </div>
      ))}
      {rows.length > ROWS_MAX && <div className="dim">{t.andMoreSeeJson(rows.length - ROWS_MAX)}</div>}
    </dl>
  );
}
