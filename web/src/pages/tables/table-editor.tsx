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
import { plural } from '../../ui/words';
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
          <small className="dim" title="The field that it looks at">
            {column.field.replace(/^#/, '')}
          </small>
        )}
      </span>
      <Menu items={[{ label: 'Remove the column', icon: 'close', isDanger: true, onSelect: onRemove }]}>
        <Button look="quiet" isSmall icon="more" label={`Column ${title}`} />
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
    const word = column.side === 'when' ? 'Condition' : 'Result';
    return {
      key: `${column.side} ${column.name}`,
      says: `${word} ${titleOfName(column.name)}`,
      head: columnHead(column, () =>
        edit(removeColumn(document, stepId, index), `Removed column ${column.name}`),
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
          {matched.has(index) && <span className="sr">fits the values below</span>}
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
              label: 'Move up',
              key: 'Alt ↑',
              onSelect: () => edit(moveRow(document, stepId, index, index - 1), 'Moved the row up'),
              ...(index === 0 ? { refusal: 'it is the first' } : {}),
            },
            {
              label: 'Move down',
              key: 'Alt ↓',
              onSelect: () => edit(moveRow(document, stepId, index, index + 1), 'Moved the row down'),
              ...(index === rules.length - 1 ? { refusal: 'it is the last' } : {}),
            },
            {
              label: 'Insert a row above',
              icon: 'plus',
              onSelect: () => edit(insertRow(document, stepId, index), 'Added a row'),
            },
            {
              label: 'Copy the row',
              icon: 'copy',
              onSelect: () => edit(copyRow(document, stepId, index), 'Copied the row'),
            },
            {
              label: 'Remove the row',
              icon: 'close',
              isDanger: true,
              onSelect: () => edit(removeRow(document, stepId, index), `Removed row ${index + 1}`),
              ...(isLast ? { refusal: 'a table keeps one' } : {}),
            },
          ]}
        >
          <Button look="quiet" isSmall icon="more" label={`Row ${index + 1}`} />
        </Menu>
      ),
    };
  });

  return (
    <div className={styles['parts']}>
      <section className="card" aria-label="Table">
        <header>
          <label className={styles['policy']}>
            <span className="m">Takes</span>
            <select
              className="in"
              value={table.policy}
              onChange={({ target: { value } }) =>
                edit(setPolicy(document, stepId, value), `Takes: ${policyWord(value)}`)
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
          <span className="count">{plural(rules.length, 'row')}</span>
          <span className="end">
            <Button isSmall icon="plus" onClick={() => setAdding('when')}>
              Condition…
            </Button>
            <Button isSmall icon="plus" onClick={() => setAdding('outputs')}>
              Result…
            </Button>
          </span>
        </header>
        {trial.isError && (
          <Failed problem={trial.error} onRetry={trial.refetch} what="What the engine thinks of it" />
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
            label={`Rows of ${table.title}`}
            corner="Row"
            columns={gridColumns}
            rows={gridRows}
            blank={(at) => (columns[at]?.side === 'when' ? 'any' : '')}
            onEdit={(edits) =>
              edit(
                setCells(document, stepId, edits),
                edits.length === 1 ? 'Changed a cell' : `Changed ${edits.length} cells`,
              )
            }
            onMoveRow={(from, to) => edit(moveRow(document, stepId, from, to), 'Moved the row')}
          />
        </div>
        <footer className={styles['foot']}>
          <Button
            isSmall
            icon="plus"
            onClick={() => edit(insertRow(document, stepId, rules.length), 'Added a row')}
          >
            Row
          </Button>
          <span className="dim s">
            In a condition: gold · not gold · gold, silver · &lt; 500 · 500 to 650 · ≥ 500 and &lt; 650 · = a
            formula
          </span>
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
            edit(addColumn(document, stepId, adding, name), `Added column ${name}`);
          }}
        />
      )}
    </div>
  );
}
