/* pages/tables/grid.tsx — cells that are edited in place, like a spreadsheet. One tab stop; arrows move; Enter, F2 or typing edits;
 * Enter goes down and Tab to the right while editing; Escape leaves the cell as it was; Delete empties it; a copied piece of a
 * spreadsheet is pasted cell by cell; Alt with an arrow moves the row. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

import { t } from '../../texts/tables';
import { printCells, readCells } from './clipboard';
import styles from './tables.module.css';

export interface GridColumn {
  readonly key: string;
  readonly head: ReactNode;
  /** For screen readers: "Condition creditScore". */
  readonly says: string;
  /** Begins another group of columns. */
  readonly isFirstOfSide?: boolean;
  readonly isReadOnly?: boolean;
}

export interface GridRow {
  readonly key: string;
  readonly cells: readonly string[];
  readonly head: ReactNode;
  readonly end?: ReactNode;
  /** A line below the row, about the row. */
  readonly note?: ReactNode;
  readonly look?: 'matched' | 'wrong';
}

interface GridProps {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  readonly rows: readonly GridRow[];
  readonly onEdit: (edits: readonly { row: number; column: number; text: string }[]) => void;
  readonly onMoveRow?: (from: number, to: number) => void;
  /** The hint of an empty cell. */
  readonly blank: (column: number) => string;
  /** The head of the column of row heads. */
  readonly corner: string;
}

interface Place {
  readonly row: number;
  readonly column: number;
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export function Grid({ label, columns, rows, onEdit, onMoveRow, blank, corner }: GridProps) {
  const root = useRef<HTMLTableElement>(null);
  const wanted = useRef<Place | null>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [edited, setEdited] = useState<(Place & { readonly text: string }) | null>(null);
  const place: Place = {
    row: Math.min(at.row, Math.max(0, rows.length - 1)),
    column: Math.min(at.column, Math.max(0, columns.length - 1)),
  };

  const focusOn = ({ row, column }: Place) => {
    const next = {
      row: Math.min(Math.max(0, row), rows.length - 1),
      column: Math.min(Math.max(0, column), columns.length - 1),
    };
    wanted.current = next;
    setAt(next);
  };

  // The cell takes the focus as soon as the field in it is gone: a key that comes before the next frame would be lost.
  useLayoutEffect(() => {
    const next = wanted.current;
    wanted.current = null;
    if (next !== null)
      root.current?.querySelector<HTMLElement>(`[data-cell="${next.row}:${next.column}"]`)?.focus();
  });

  const begin = (text: string) => {
    if (columns[place.column]?.isReadOnly !== true) setEdited({ ...place, text });
  };

  const finish = (then: Place) => {
    if (edited !== null && edited.text !== (rows[edited.row]?.cells[edited.column] ?? ''))
      onEdit([{ row: edited.row, column: edited.column, text: edited.text }]);
    setEdited(null);
    focusOn(then);
  };

  const moveRow = (by: number) => {
    const to = place.row + by;
    if (onMoveRow === undefined || to < 0 || to >= rows.length) return;
    onMoveRow(place.row, to);
    focusOn({ row: to, column: place.column });
  };

  const onCellKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const { key } = event;
    const move = MOVES[key];
    const text = rows[place.row]?.cells[place.column] ?? '';
    if (event.altKey && (key === 'ArrowUp' || key === 'ArrowDown')) moveRow(key === 'ArrowUp' ? -1 : 1);
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (move !== undefined) focusOn({ row: place.row + move[0], column: place.column + move[1] });
    else if (key === 'Home') focusOn({ ...place, column: 0 });
    else if (key === 'End') focusOn({ ...place, column: columns.length - 1 });
    else if (key === 'Enter' || key === 'F2') begin(text);
    else if (key === 'Delete' || key === 'Backspace') {
      if (columns[place.column]?.isReadOnly !== true) onEdit([{ ...place, text: '' }]);
    } else if (key.length === 1) begin(key);
    else return;
    event.preventDefault();
  };

  const onFieldKey = (event: KeyboardEvent) => {
    const { row, column } = place;
    if (event.key === 'Escape') {
      setEdited(null);
      focusOn(place);
    } else if (event.key === 'Enter') finish({ row: row + (event.shiftKey ? -1 : 1), column });
    else if (event.key === 'Tab') {
      const to = column + (event.shiftKey ? -1 : 1);
      const isOver = to < 0 || to >= columns.length;
      finish(
        isOver
          ? { row: row + (to < 0 ? -1 : 1), column: to < 0 ? columns.length - 1 : 0 }
          : { row, column: to },
      );
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const onPaste = (event: ClipboardEvent) => {
    if (edited !== null) return;
    const cells = readCells(event.clipboardData.getData('text/plain'));
    event.preventDefault();
    onEdit(
      cells.flatMap((line, down) =>
        line.flatMap((text, across) => {
          const column = place.column + across;
          return columns[column] === undefined || columns[column].isReadOnly === true
            ? []
            : [{ row: place.row + down, column, text }];
        }),
      ),
    );
  };

  const onCopy = (event: ClipboardEvent) => {
    if (edited !== null || (getSelection()?.toString() ?? '') !== '') return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', printCells([[rows[place.row]?.cells[place.column] ?? '']]));
  };

  return (
    <table
      ref={root}
      className={styles['grid']}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onPaste={onPaste}
      onCopy={onCopy}
    >
      <thead>
        <tr>
          <th scope="col" className={styles['number']}>
            {corner}
          </th>
          {columns.map((column) => (
            <th key={column.key} scope="col" data-first={column.isFirstOfSide === true}>
              {column.head}
            </th>
          ))}
          <th className={styles['end']}>
            <span className="sr">{t.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Row key={row.key} row={row} columns={columns}>
            {columns.map((column, across) => {
              const text = row.cells[across] ?? '';
              const isHere = place.row === index && place.column === across;
              const isEdited = edited !== null && edited.row === index && edited.column === across;
              return (
                <td
                  key={column.key}
                  role="gridcell"
                  data-cell={`${index}:${across}`}
                  data-first={column.isFirstOfSide === true}
                  data-readonly={column.isReadOnly === true}
                  tabIndex={isHere && !isEdited ? 0 : -1}
                  aria-label={t.row(column.says, index + 1, text === '' ? blank(across) || t.empty : text)}
                  aria-readonly={column.isReadOnly === true}
                  onFocus={() => setAt({ row: index, column: across })}
                  onKeyDown={onCellKey}
                  onClick={(event) => event.currentTarget.focus()}
                  onDoubleClick={() => begin(text)}
                >
                  {isEdited ? (
                    <input
                      className={styles['cell']}
                      aria-label={t.row2(column.says, index + 1)}
                      // eslint-disable-next-line jsx-a11y/no-autofocus -- The cell had the focus, and is edited now.
                      autoFocus
                      value={edited.text}
                      onChange={(event) => setEdited({ ...edited, text: event.target.value })}
                      onKeyDown={onFieldKey}
                      onBlur={() => {
                        if (edited.text !== text) onEdit([edited]);
                        setEdited(null);
                      }}
                    />
                  ) : text === '' ? (
                    <span className={styles['blank']}>{blank(across)}</span>
                  ) : (
                    <bdi className={text.startsWith('= ') ? styles['formula'] : ''} title={text}>
                      {text}
                    </bdi>
                  )}
                </td>
              );
            })}
          </Row>
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly row: GridRow;
  readonly columns: readonly GridColumn[];
  readonly children: ReactNode;
}

function Row({ row, columns, children }: RowProps) {
  return (
    <>
      <tr data-look={row.look ?? 'plain'}>
        <th scope="row" className={styles['number']}>
          {row.head}
        </th>
        {children}
        <td className={styles['end']}>{row.end}</td>
      </tr>
      {row.note !== undefined && (
        <tr className={styles['note']}>
          <td />
          <td colSpan={columns.length + 1}>{row.note}</td>
        </tr>
      )}
    </>
  );
}
