/* pages/tables/try-panel.tsx — rows of values, and at once which rows of the table fit and what comes out. */
import type { TableTrial } from '../../api/tables';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { titleOfName } from '../../ui/form/schema';
import { Icon } from '../../ui/icon';
import { shortValue } from '../../ui/words';
import { t } from '../../texts/tables';
import { Grid, type GridColumn, type GridRow } from './grid';
import styles from './tables.module.css';
import { failureWords, matchWords } from './words';

export interface TriedRow {
  readonly key: string;
  /** Typed texts by field. */
  readonly entries: ReadonlyMap<string, string>;
}

interface TryPanelProps {
  readonly inputs: readonly string[];
  readonly tried: readonly TriedRow[];
  readonly results: TableTrial['results'];
  /** The results are those of what is shown. */
  readonly isFresh: boolean;
  readonly hasValues: (row: number) => boolean;
  readonly onChange: (tried: readonly TriedRow[]) => void;
}

const ROWS_MAX = 100;

/** A key that no row has. */
function nextKey(tried: readonly TriedRow[]): string {
  return `v${Math.max(0, ...tried.map(({ key }) => Number(key.slice(1)))) + 1}`;
}

function outputWords(result: TableTrial['results'][number]): string {
  if (result.error !== undefined) return failureWords(result.error);
  return Object.entries(result.output ?? {})
    .map(
      ([name, value]) =>
        `${titleOfName(name)}: ${Array.isArray(value) ? value.map(shortValue).join(', ') : shortValue(value)}`,
    )
    .join(' · ');
}

export function TryPanel({ inputs, tried, results, isFresh, hasValues, onChange }: TryPanelProps) {
  const columns: readonly GridColumn[] = [
    ...inputs.map((input) => ({
      key: input,
      head: <bdi title={input}>{titleOfName(input)}</bdi>,
      says: t.valueOf2(titleOfName(input)),
    })),
    { key: t.fits, head: t.fits2, says: t.fits2, isFirstOfSide: true, isReadOnly: true },
    { key: t.out, head: t.comesOut, says: t.comesOut, isReadOnly: true },
  ];
  const rows = tried.map(({ key, entries }, index): GridRow => {
    const result = hasValues(index) ? results[index] : undefined;
    const isBad = result !== undefined && (result.error !== undefined || result.matched.length === 0);
    return {
      key,
      head: String(index + 1),
      cells: [
        ...inputs.map((input) => entries.get(input) ?? ''),
        result === undefined ? '' : matchWords(result.matched),
        result === undefined ? '' : outputWords(result),
      ],
      ...(isBad ? { look: 'wrong' as const } : {}),
      end: (
        <Button
          look="quiet"
          isSmall
          icon="close"
          label={t.removeValues(index + 1)}
          disabled={tried.length < 2}
          onClick={() => onChange(tried.filter((_, at) => at !== index))}
        />
      ),
    };
  });
  const edit = (edits: readonly { row: number; column: number; text: string }[]) => {
    const next = [...tried];
    for (const { row, column, text } of edits) {
      const input = inputs[column];
      if (input === undefined || row >= ROWS_MAX) continue;
      while (next.length <= row) next.push({ key: nextKey(next), entries: new Map() });
      const before = next[row];
      if (before !== undefined) next[row] = { ...before, entries: new Map(before.entries).set(input, text) };
    }
    onChange(next);
  };
  return (
    <section className="card" aria-label={t.tryValues}>
      <header>
        <h2>{t.tryValues}</h2>
        <span className="count">{t.nothingIsStartedTheEngine}</span>
        <span className="end">
          <Button
            isSmall
            icon="plus"
            disabled={tried.length >= ROWS_MAX}
            onClick={() => onChange([...tried, { key: nextKey(tried), entries: new Map() }])}
          >
            {t.values}
          </Button>
        </span>
      </header>
      {inputs.length === 0 ? (
        <Empty title={t.noConditionLooks} />
      ) : (
        <div className={styles['scroll']} aria-busy={!isFresh}>
          <Grid
            label={t.valuesToTry}
            corner={t.no}
            columns={columns}
            rows={rows}
            blank={(at) => (at < inputs.length ? t.value : '')}
            onEdit={edit}
          />
        </div>
      )}
      {results.some((result, index) => hasValues(index) && result.matched.length === 0) && (
        <p className={`st s person ${styles['fails'] ?? ''}`}>
          <Icon name="warn" small />
          <span>{t.whereNoRowFits}</span>
        </p>
      )}
    </section>
  );
}
