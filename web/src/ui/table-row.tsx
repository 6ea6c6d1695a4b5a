/* ui/table-row.tsx — one row of a table. It is drawn again only when something of its own changes: lists are long, and most changes of a page
 * are not theirs. */
import { memo, type ReactNode } from 'react';

import { t } from '../texts/ui';
import styles from './table.module.css';

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

export function classOf(column: Column<never>): string {
  return [
    column.isNumber === true && 'num',
    column.isOptional === true && styles['opt'],
    column.isWide && styles['wide'],
  ]
    .filter((name) => typeof name === 'string')
    .join(' ');
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly rowKey: string;
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly tabIndex: 0 | -1;
  readonly canOpen: boolean;
  readonly isPale: boolean;
  /** Undefined where nothing can be selected. */
  readonly isSelected: boolean | undefined;
  readonly onToggle: ((key: string) => void) | undefined;
}

function PlainRow<Row>(props: TableRowProps<Row>) {
  const { row, rowKey, name, columns, tabIndex, canOpen, isPale, isSelected, onToggle } = props;
  return (
    <tr
      role="row"
      data-rove
      tabIndex={tabIndex}
      aria-label={name}
      aria-selected={isSelected}
      className={[canOpen ? styles['open'] : '', isPale ? styles['pale'] : ''].join(' ').trim()}
    >
      {isSelected !== undefined && (
        <td className={styles['box']}>
          <label className={styles['target']}>
            <input
              type="checkbox"
              className="cb"
              checked={isSelected}
              tabIndex={tabIndex}
              onChange={() => onToggle?.(rowKey)}
              aria-label={t.select(name)}
            />
          </label>
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} className={classOf(column)}>
          {column.cell(row, tabIndex)}
        </td>
      ))}
    </tr>
  );
}

// memo() forgets that the component is generic.
export const TableRow = memo(PlainRow) as typeof PlainRow;
