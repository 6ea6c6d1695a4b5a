/* ui/table.tsx — rows of one kind: one tab stop, arrows (or j and k) move, Enter opens, Space selects. */
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useMemo } from 'react';

import { t } from '../texts/ui';
import styles from './table.module.css';
import { classOf, type Column, TableRow } from './table-row';
import { useRoving } from './use-roving';
import { useShownRows } from './use-shown-rows';

export type { Column } from './table-row';

interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly onToggleAll: () => void;
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Which list this is, where one table shows several after each other: pages, filters. */
  readonly listKey?: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly selection?: Selection;
  /** There is little room, however wide the window is: something stands beside the table. */
  readonly isNarrow?: boolean;
  /** The heads of the columns are only spoken: the same stand above already. */
  readonly isHeadless?: boolean;
  /** Rows that are pale: what they show is over. */
  readonly isPale?: (row: Row) => boolean;
}

/** The row that an element stands in; null for the heads. */
function indexOf(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLTableRowElement>('tbody tr') : null;
  return row === null ? null : row.sectionRowIndex;
}

export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    rows,
    listKey = '',
    keyOf,
    nameOf,
    onOpen,
    selection,
    isHeadless = false,
    isNarrow = false,
    isPale,
  } = props;
  const columns = useMemo(
    () => (isNarrow ? props.columns.filter(({ isOptional }) => isOptional !== true) : props.columns),
    [isNarrow, props.columns],
  );
  const roving = useRoving(rows.length, { hasLetters: true });
  const shown = useShownRows(rows.length, listKey);
  const onKey = (event: KeyboardEvent) => {
    if (indexOf(event.target) === null) return;
    const row = rows[roving.index];
    const isOnRow = event.target instanceof HTMLTableRowElement;
    if (row !== undefined && isOnRow && event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else if (row !== undefined && isOnRow && event.key === ' ' && selection !== undefined) {
      event.preventDefault();
      selection.onToggle(keyOf(row));
    } else roving.onKeyDown(event);
  };
  const onFocus = (event: FocusEvent) => {
    const index = indexOf(event.target);
    if (index !== null) roving.setIndex(index);
  };
  const onClick = (event: MouseEvent) => {
    const isOnControl =
      event.target instanceof Element && event.target.closest('a, button, input, summary') !== null;
    const isSelecting = (getSelection()?.toString() ?? '') !== '';
    const row = rows[indexOf(event.target) ?? -1];
    if (row !== undefined && !isOnControl && !isSelecting && onOpen !== undefined) onOpen(row);
  };
  const selected = rows.filter((row) => selection?.keys.has(keyOf(row)) === true).length;
  return (
    // The handlers of rows are here: a handler of its own would have each of them drawn with every change of the page.
    <table
      className={styles['table']}
      role="grid"
      aria-label={label}
      aria-multiselectable={selection !== undefined}
      data-rove-list
      onKeyDown={onKey}
      onFocus={onFocus}
      onClick={onClick}
    >
      <thead className={isHeadless ? 'sr' : undefined}>
        <tr>
          {selection !== undefined && (
            <th className={styles['box']}>
              <label className={styles['target']}>
                <input
                  type="checkbox"
                  className={selected > 0 && selected < rows.length ? 'cb some' : 'cb'}
                  checked={rows.length > 0 && selected === rows.length}
                  onChange={selection.onToggleAll}
                  aria-label={t.selectAllThatAreShown}
                />
              </label>
            </th>
          )}
          {columns.map((column) => (
            <th key={column.key} className={classOf(column)}>
              {column.head === '' ? <span className="sr">{t.actions}</span> : column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, shown).map((row, index) => (
          <TableRow
            key={keyOf(row)}
            row={row}
            rowKey={keyOf(row)}
            name={nameOf(row)}
            columns={columns}
            tabIndex={roving.tabIndexOf(index)}
            canOpen={onOpen !== undefined}
            isPale={isPale?.(row) === true}
            isSelected={selection?.keys.has(keyOf(row))}
            onToggle={selection?.onToggle}
          />
        ))}
      </tbody>
    </table>
  );
}
