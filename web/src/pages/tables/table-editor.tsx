/* pages/tables/table-editor.tsx — the table as a grid with the engine's findings in place, and rows of values to try. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';

import { trialQuery } from '../../api/tables';
import type { JsonObject } from '../../flow/json';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { titleOfName } from '../../ui/form/schema';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { t } from '../../texts/tables';
import { ColumnDialog } from './column-dialog';
import { Grid, type GridColumn, type GridRow } from './grid';
import {
  addColumn,
  cellText,
  type Column,
  copyRow,
  type DecisionTable,
  insertRow,
  inputsOf,
  moveRow,
  removeColumn,
  removeRow,
  setCells,
  setPolicy,
  type Side,
  variablesOf,
} from './table-doc';
import styles from './tables.module.css';
import { type TriedRow, TryPanel } from './try-panel';
import { type Finding, findingWords, POLICIES, policyWord } from './words';

const CALM_MS = 250;

/** A value that follows another one a moment after its last change. */
function useCalm<Value>(value: Value): Value {
  const [calm, setCalm] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), CALM_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}

function FindingLine({ finding }: { readonly finding: Finding }) {
  return (
    <p className={finding.severity === 'error' ? 'st s failed' : 'st s person'}>
      <Icon name={finding.severity === 'error' ? 'failed' : 'warn'} small />
      <span className={styles['says']}>{findingWords(finding)}</span>
    </p>
  );
}

interface TableEditorProps {
  readonly table: DecisionTable;
  readonly document: JsonObject;
  readonly onEdit: (next: JsonObject, says: string) => void;
}

function columnHead(column: Column, onRemove: () => void): ReactNode {
  const title = titleOfName(column.name);
  return (
    <span className={styles['column']}>
      <span className="cut grow">
        <bdi title={column.name}>{title}</bdi>
        {column.field !== '' && column.field !== column.name && (
          <small className="dim" title={t.theFieldThatItLooks}>
            {column.field.replace(/^#/, '')}
          </small>
        )}
      </span>
      <Menu items={[{ label: t.removeTheColumn, icon: 'close', isDanger: true, onSelect: onRemove }]}>
        <Button look="quiet" isSmall icon="more" label={t.column(title)} />
      </Menu>
    </span>
  );
}

export function TableEditor({ table, document, onEdit }: TableEditorProps) {
  const { stepId, columns, rules } = table;
  const [adding, setAdding] = useState<Side | null>(null);
  const [tried, setTried] = useState<readonly TriedRow[]>([{ key: 'v1', entries: new Map() }]);
  const asked = useMemo(
    () => ({
      step: table.step,
      rows: tried.map(({ entries }) => variablesOf(entries)),
    }),
    [table.step, tried],
  );
  const calm = useCalm(asked);
  const trial = useQuery(trialQuery(calm.step, calm.rows));
  const findings = trial.data?.findings ?? [];
  const results = trial.data?.results ?? [];
  const hasValues = (index: number) => Object.keys(calm.rows[index] ?? {}).length > 0;
  const matched = new Set(results.flatMap((result, index) => (hasValues(index) ? result.matched : [])));
  const general = findings.filter(({ rows }) => rows.length === 0);
  const edit = (next: JsonObject, says: string) => onEdit(next, says);
  const isLast = rules.length < 2;

  const gridColumns = columns.map((column, index): GridColumn => {
    const word = column.side === 'when' ? t.condition : t.result;
    return {
      key: `${column.side} ${column.name}`,
      says: `${word} ${titleOfName(column.name)}`,
      head: columnHead(column, () =>
        edit(removeColumn(document, stepId, index), t.removedColumn(column.name)),
      ),
      isFirstOfSide: column.side === 'outputs' && columns[index - 1]?.side !== 'outputs',
    };
  });

  const gridRows = rules.map((rule, index): GridRow => {
    const own = findings.filter(({ rows }) => rows.includes(index) && rows[0] === index);
    const isWrong = findings.some(({ rows }) => rows.includes(index));
    return {
      key: String(index),
      head: (
        <span className={styles['rowhead']}>
          {index + 1}
          {matched.has(index) && <Icon name="done" small />}
          {matched.has(index) && <span className="sr">{t.fitsTheValuesBelow}</span>}
        </span>
      ),
      cells: columns.map((column) => cellText(rule, column)),
      ...(isWrong ? { look: 'wrong' as const } : matched.has(index) ? { look: 'matched' as const } : {}),
      ...(own.length === 0
        ? {}
        : {
            note: (
              <div className={styles['lines']}>
                {own.map((finding, at) => (
                  <FindingLine key={at} finding={finding} />
                ))}
              </div>
            ),
          }),
      end: (
        <Menu
          items={[
            {
              label: t.moveUp,
              key: 'Alt ↑',
              onSelect: () => edit(moveRow(document, stepId, index, index - 1), t.movedTheRowUp),
              ...(index === 0 ? { refusal: t.itIsTheFirst } : {}),
            },
            {
              label: t.moveDown,
              key: 'Alt ↓',
              onSelect: () => edit(moveRow(document, stepId, index, index + 1), t.movedTheRowDown),
              ...(index === rules.length - 1 ? { refusal: t.itIsTheLast } : {}),
            },
            {
              label: t.insertARowAbove,
              icon: 'plus',
              onSelect: () => edit(insertRow(document, stepId, index), t.addedARow),
            },
            {
              label: t.copyTheRow,
              icon: 'copy',
              onSelect: () => edit(copyRow(document, stepId, index), t.copiedTheRow),
            },
            {
              label: t.removeTheRow,
              icon: 'close',
              isDanger: true,
              onSelect: () => edit(removeRow(document, stepId, index), t.removedRow(index + 1)),
              ...(isLast ? { refusal: t.aTableKeepsOne } : {}),
            },
          ]}
        >
          <Button look="quiet" isSmall icon="more" label={t.row3(index + 1)} />
        </Menu>
      ),
    };
  });

  return (
    <div className={styles['parts']}>
      <section className="card" aria-label={t.table}>
        <header>
          <label className={styles['policy']}>
            <span className="m">{t.takes}</span>
            <select
              className="in"
              value={table.policy}
              onChange={({ target: { value } }) =>
                edit(setPolicy(document, stepId, value), t.takes2(policyWord(value)))
              }
            >
              {POLICIES.every(({ code }) => code !== table.policy) && (
                <option value={table.policy}>{table.policy}</option>
              )}
              {POLICIES.map(({ code, word }) => (
                <option key={code} value={code}>
                  {word}
                </option>
              ))}
            </select>
          </label>
          <span className="count">{t.nRows(rules.length)}</span>
          <span className="end">
            <Button isSmall icon="plus" onClick={() => setAdding('when')}>
              {t.condition2}
            </Button>
            <Button isSmall icon="plus" onClick={() => setAdding('outputs')}>
              {t.result2}
            </Button>
          </span>
        </header>
        {trial.isError && (
          <Failed problem={trial.error} onRetry={trial.refetch} what={t.whatTheEngineThinks} />
        )}
        {general.length > 0 && (
          <div className={styles['general']} role="status">
            {general.map((finding, index) => (
              <FindingLine key={index} finding={finding} />
            ))}
          </div>
        )}
        <div className={styles['scroll']}>
          <Grid
            label={t.rowsOf(table.title)}
            corner={t.row4}
            columns={gridColumns}
            rows={gridRows}
            blank={(at) => (columns[at]?.side === 'when' ? t.any : '')}
            onEdit={(edits) =>
              edit(
                setCells(document, stepId, edits),
                edits.length === 1 ? t.changedACell : t.changedCells(edits.length),
              )
            }
            onMoveRow={(from, to) => edit(moveRow(document, stepId, from, to), t.movedTheRow)}
          />
        </div>
        <footer className={styles['foot']}>
          <Button
            isSmall
            icon="plus"
            onClick={() => edit(insertRow(document, stepId, rules.length), t.addedARow)}
          >
            {t.row4}
          </Button>
          <span className="dim s">{t.inAConditionGold}</span>
        </footer>
      </section>
      <TryPanel
        inputs={inputsOf(table)}
        tried={tried}
        results={results}
        isFresh={calm === asked && !trial.isPlaceholderData}
        hasValues={hasValues}
        onChange={setTried}
      />
      {adding !== null && (
        <ColumnDialog
          table={table}
          side={adding}
          onClose={() => setAdding(null)}
          onAdd={(name) => {
            setAdding(null);
            edit(addColumn(document, stepId, adding, name), t.addedColumn(name));
          }}
        />
      )}
    </div>
  );
}
