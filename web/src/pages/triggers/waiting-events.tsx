/* pages/triggers/waiting-events.tsx — events that came before their run: they wait for one with their key, until they expire. */
import { Link } from 'wouter';

import type { WaitingEvent } from '../../api/triggers';
import { flowAddress } from '../../ui/addresses';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { t } from '../../texts/triggers';
import styles from './triggers.module.css';

const COLUMNS: readonly Column<WaitingEvent>[] = [
  { key: 'at', head: t.when, cell: (row) => <Time at={row.receivedAt} /> },
  { key: 'type', head: t.event, cell: (row) => <bdi className="cut">{row.type}</bdi> },
  { key: 'source', head: t.from, isOptional: true, cell: (row) => <bdi className="cut">{row.source}</bdi> },
  { key: 'id', head: t.id, isOptional: true, cell: (row) => <bdi className="cut mono">{row.id}</bdi> },
  {
    key: 'flow',
    head: t.waitsForARun,
    isWide: true,
    cell: (row, tabIndex) => (
      <Link className="link cut" tabIndex={tabIndex} href={flowAddress(row.definitionId)}>
        <bdi>{row.definitionId}</bdi>
      </Link>
    ),
  },
  { key: 'until', head: t.expires, cell: (row) => <Time at={row.expiresAt} /> },
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
    <section className={styles['waits']} aria-label={t.eventsThatWaitForTheir}>
      <h2>{t.theyWaitForTheirRun}</h2>
      <Table
        label={t.eventsThatWaitForTheir}
        rows={events}
        columns={COLUMNS}
        keyOf={(row) => `${row.definitionId} ${row.source} ${row.id}`}
        nameOf={(row) => row.type}
      />
      {isMore && <p className="dim s">{t.moreEventsWaitThan}</p>}
      <h2>{t.nobodyTookThem}</h2>
    </section>
  );
}
