/* pages/flows/compare-text.tsx — two versions as text, side by side. */
import { Fragment, useMemo, useState } from 'react';

import type { Comparison } from '../../api/comparisons';
import { t } from '../../texts/flows';
import styles from './compare.module.css';
import { type Row, type Side, sideBySide } from './side-by-side';

function Cells({ side, mark }: { readonly side: Side | null; readonly mark: '' | '−' | '+' }) {
  if (side === null) return <td colSpan={2} className={styles['none']} />;
  const look = mark === '' ? undefined : styles[mark === '+' ? 'added' : 'removed'];
  return (
    <>
      <td className={`${styles['number'] ?? ''} ${look ?? ''}`}>{side.number}</td>
      <td className={look}>
        {mark !== '' && <span className="sr">{mark === '+' ? t.new2 : t.gone2}</span>}
        <code>{side.text}</code>
      </td>
    </>
  );
}

function RowView({ row }: { readonly row: Exclude<Row, { kind: 'folded' }> }) {
  const isChanged = row.kind === 'changed';
  return (
    <tr>
      <Cells side={row.left} mark={isChanged ? '−' : ''} />
      <Cells side={row.right} mark={isChanged ? '+' : ''} />
    </tr>
  );
}

function Fold({ rows }: { readonly rows: readonly Row[] }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return rows.map((row, index) => row.kind !== 'folded' && <RowView key={index} row={row} />);
  return (
    <tr>
      <td colSpan={4} className={styles['fold']}>
        <button type="button" onClick={() => setOpen(true)}>
          {t.nEqualLines(rows.length)}
        </button>
      </td>
    </tr>
  );
}

export function CompareText({ comparison }: { readonly comparison: Comparison }) {
  const rows = useMemo(() => sideBySide(comparison.lines), [comparison.lines]);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keys.
    <div className={styles['text']} tabIndex={0} role="group" aria-label={t.textOfBothVersions}>
      <table>
        <colgroup>
          <col className={styles['number']} />
          <col />
          <col className={styles['number']} />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th colSpan={2}>{t.version2(comparison.from)}</th>
            <th colSpan={2}>{t.version3(comparison.to)}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={index}>
              {row.kind === 'folded' ? <Fold rows={row.rows} /> : <RowView row={row} />}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
