/* pages/triggers/waiting-events.tsx — events that came before their run: they wait for one with their key, until they expire. */
import { Link } from 'wouter';

import type { WaitingEvent } from '../../api/triggers';
import { flowAddress } from '../../ui/addresses';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import styles from './triggers.module.css';

const COLUMNS: readonly Column<WaitingEvent>[] = [
  { key: 'at', head: 'When', cell: (row) => <Time at={row.receivedAt} /> },
  { key: 'type', head: 'Event', cell: (row) => <bdi className="cut">{row.type}</bdi> },
  { key: 'source', head: 'From', isOptional: true, cell: (row) => <bdi className="cut">{row.source}</bdi> },
  { key: 'id', head: 'Id', isOptional: true, cell: (row) => <bdi className="cut mono">{row.id}</bdi> },
  {
    key: 'flow',
    head: 'Waits for a run of',
    isWide: true,
    cell: (row, tabIndex) => (
      <Link className="link cut" tabIndex={tabIndex} href={flowAddress(row.definitionId)}>
        <bdi>{row.definitionId}</bdi>
      </Link>
    ),
  },
  { key: 'until', head: 'Expires', cell: (row) => <Time at={row.expiresAt} /> },
];

export function WaitingEvents({
  events,
  isMore,
}: {
  readonly events: readonly WaitingEvent[];
  readonly isMore: boolean;
}) {
  if (events.length === 0) return null;
  return (
    <section className={styles['waits']} aria-label="Events that wait for their run">
      <h2>They wait for their run</h2>
      <Table
        label="Events that wait for their run"
        rows={events}
        columns={COLUMNS}
        keyOf={(row) => `${row.definitionId} ${row.source} ${row.id}`}
        nameOf={(row) => row.type}
      />
      {isMore && <p className="dim s">More events wait than are shown.</p>}
      <h2>Nobody took them</h2>
    </section>
  );
}
