/* ui/table.tsx — rows of one kind: one tab stop, arrows (or j and k) move, Enter opens, Space selects. */
import { type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';

import styles from './table.module.css';
import { useRoving } from './use-roving';

export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  /** `tabIndex` is for links and buttons inside: they are tab stops in the current row only. */
  readonly cell: (row: Row, tabIndex: 0 | -1) => ReactNode;
  readonly isNumber?: boolean;
  /** Left out where there is little room. */
  readonly isOptional?: boolean;
  /** Takes the room that the others leave, and is cut. At most one. */
  readonly isWide?: boolean;
}

interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly onToggleAll: () => void;
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
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

function classOf(column: Column<never>): string {
  return [
    column.isNumber === true && 'num',
    column.isOptional === true && styles['opt'],
    column.isWide && styles['wide'],
  ]
    .filter((name) => typeof name === 'string')
    .join(' ');
}

export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    rows,
    keyOf,
    nameOf,
    onOpen,
    selection,
    isHeadless = false,
    isNarrow = false,
    isPale,
  } = props;
  const columns = isNarrow ? props.columns.filter(({ isOptional }) => isOptional !== true) : props.columns;
  const roving = useRoving(rows.length, { hasLetters: true });
  const onKey = (event: KeyboardEvent) => {
    const row = rows[roving.index];
    const isOnRow = event.target instanceof HTMLTableRowElement;
    if (row !== undefined && isOnRow && event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else if (row !== undefined && isOnRow && event.key === ' ' && selection !== undefined) {
      event.preventDefault();
      selection.onToggle(keyOf(row));
    } else roving.onKeyDown(event);
  };
  const onClick = (event: MouseEvent, row: Row) => {
    const isOnControl = event.target instanceof Element && event.target.closest('a, button, input') !== null;
    const isSelecting = (getSelection()?.toString() ?? '') !== '';
    if (!isOnControl && !isSelecting && onOpen !== undefined) onOpen(row);
  };
  const selected = rows.filter((row) => selection?.keys.has(keyOf(row)) === true).length;
  return (
    <table
      className={styles['table']}
      role="grid"
      aria-label={label}
      aria-multiselectable={selection !== undefined}
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
                  aria-label="Select all that are shown"
                />
              </label>
            </th>
          )}
          {columns.map((column) => (
            <th key={column.key} className={classOf(column)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-rove-list>
        {rows.map((row, index) => {
          const key = keyOf(row);
          const isSelected = selection?.keys.has(key) === true;
          return (
            <tr
              key={key}
              role="row"
              data-rove
              tabIndex={roving.tabIndexOf(index)}
              aria-label={nameOf(row)}
              {...(selection === undefined ? {} : { 'aria-selected': isSelected })}
              className={[
                onOpen === undefined ? '' : styles['open'],
                isPale?.(row) === true ? styles['pale'] : '',
              ]
                .join(' ')
                .trim()}
              onKeyDown={onKey}
              onFocus={() => roving.setIndex(index)}
              onClick={(event) => onClick(event, row)}
            >
              {selection !== undefined && (
                <td className={styles['box']}>
                  <label className={styles['target']}>
                    <input
                      type="checkbox"
                      className="cb"
                      checked={isSelected}
                      tabIndex={roving.tabIndexOf(index)}
                      onChange={() => selection.onToggle(key)}
                      aria-label={`Select ${nameOf(row)}`}
                    />
                  </label>
                </td>
              )}
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)}>
                  {column.cell(row, roving.tabIndexOf(index))}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
