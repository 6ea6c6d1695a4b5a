/* pages/runs/runs-table.tsx — runs as rows that can be selected and opened. */
import { useCallback, useMemo } from 'react';
import { useLocation } from 'wouter';

import type { RunItem } from '../../api/instances';
import { runAddress } from '../../ui/addresses';
import { keepTrail } from '../../ui/run-trail';
import { Table } from '../../ui/table';
import { t } from '../../texts/runs';
import { nameOf, runColumns } from './run-columns';

interface RunsTableProps {
  readonly rows: readonly RunItem[];
  /** Runs that were shown before they moved on. */
  readonly gone: ReadonlySet<string>;
  /** The query of the list that these rows are. */
  readonly listKey: string;
  readonly isHeadless: boolean;
  readonly isNarrow: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void;
}

export function toggled(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(member)) next.add(member);
  return next;
}

function allToggled(set: ReadonlySet<string>, members: readonly string[]): ReadonlySet<string> {
  if (!members.every((id) => set.has(id))) return new Set([...set, ...members]);
  return new Set([...set].filter((id) => !members.includes(id)));
}

const keyOf = ({ id }: RunItem) => id;

export function RunsTable(props: RunsTableProps) {
  const { rows, gone, listKey, isHeadless, isNarrow, chosen, onChoose } = props;
  const [, go] = useLocation();
  const leave = useCallback(() => keepTrail({ query: listKey, ids: rows.map(keyOf) }), [listKey, rows]);
  const columns = useMemo(() => runColumns(gone, leave), [gone, leave]);
  const onToggle = useCallback((id: string) => onChoose((before) => toggled(before, id)), [onChoose]);
  return (
    <Table
      label={t.runs2}
      rows={rows}
      listKey={listKey}
      columns={columns}
      keyOf={keyOf}
      nameOf={nameOf}
      isHeadless={isHeadless}
      isNarrow={isNarrow}
      isPale={({ id }) => gone.has(id)}
      onOpen={({ id }) => {
        leave();
        go(runAddress(id));
      }}
      selection={{
        keys: chosen,
        onToggle,
        onToggleAll: () => onChoose((before) => allToggled(before, rows.map(keyOf))),
      }}
    />
  );
}
