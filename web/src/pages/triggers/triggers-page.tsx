/* pages/triggers/triggers-page.tsx — the doors of the flows: triggers, what arrived at them, and events that nobody took. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { asProblem } from '../../api/problem';
import {
  type Arrival,
  arrivalsQuery,
  pauseTrigger,
  resendEvent,
  resumeTrigger,
  type Trigger,
  triggersQuery,
  unmatchedQuery,
} from '../../api/triggers';
import { flowAddress, runAddress, triggersAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { newKey } from '../../ui/new-key';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { FireDialog } from './fire-dialog';
import styles from './triggers.module.css';
import {
  countArrivals,
  kindWord,
  outcomeLook,
  parsePlace,
  type Place,
  printPlace,
  type Show,
  SHOWS,
} from './words';

const SHOW_WORDS: { readonly [K in Show]: string } = {
  triggers: 'Triggers',
  arrivals: 'Arrivals',
  unmatched: 'Events that nobody took',
};

export function TriggersPage() {
  useTitle('Triggers');
  useLive(['triggers', 'arrivals', 'definitions']);
  const place = parsePlace(useSearch());
  return (
    <div className={styles['page']}>
      <h1>Triggers</h1>
      <nav className="tabs" aria-label="What to show">
        {SHOWS.map((show) => (
          <Link
            key={show}
            href={triggersAddress + printPlace({ show, cursor: '' })}
            {...(show === place.show ? { 'aria-current': 'page' as const } : {})}
          >
            {SHOW_WORDS[show]}
          </Link>
        ))}
      </nav>
      {place.show === 'triggers' && <Triggers place={place} />}
      {place.show === 'arrivals' && <Arrivals place={place} />}
      {place.show === 'unmatched' && <Unmatched place={place} />}
    </div>
  );
}

interface PagedProps {
  readonly place: Place;
  readonly next: string | undefined;
  readonly children: ReactNode;
}

/** A page of a list; the cursor is in the address, so "back" goes back. */
function Paged({ place, next, children }: PagedProps) {
  return (
    <section className="card">
      <div className={styles['scroll']}>{children}</div>
      {(place.cursor !== '' || next !== undefined) && (
        <footer className={styles['foot']}>
          {place.cursor !== '' && (
            <Link className="btn small" href={triggersAddress + printPlace({ ...place, cursor: '' })}>
              First page
            </Link>
          )}
          {next !== undefined && (
            <Link className="btn small" href={triggersAddress + printPlace({ ...place, cursor: next })}>
              Next page
            </Link>
          )}
        </footer>
      )}
    </section>
  );
}

const nameOf = (trigger: Trigger) => `${trigger.trigger} of ${trigger.definitionId}`;

function Address({ trigger, tabIndex }: { readonly trigger: Trigger; readonly tabIndex: 0 | -1 }) {
  if (trigger.nextAt !== undefined)
    return (
      <span className="mid">
        next <Time at={trigger.nextAt} />
      </span>
    );
  if (trigger.address === undefined) return <span className="dim">a button starts it</span>;
  const path =
    trigger.type === 'http'
      ? `${location.origin}/hooks${trigger.address.replace(/^\S+ /, '')}`
      : trigger.address;
  return (
    <span className={styles['address']}>
      <code className="cut" title={path}>
        {trigger.address}
      </code>
      <span {...(tabIndex === -1 ? { inert: true } : {})}>
        <CopyButton text={path} what="the address" />
      </span>
    </span>
  );
}

function Triggers({ place }: { readonly place: Place }) {
  const queries = useQueryClient();
  const list = useQuery(triggersQuery(place.cursor));
  const [fired, setFired] = useState<Trigger | null>(null);
  const toggle = useMutation({
    mutationFn: (trigger: Trigger) =>
      trigger.state === 'paused' ? resumeTrigger(trigger) : pauseTrigger(trigger),
    onSuccess: (_, trigger) =>
      announce(`${nameOf(trigger)} ${trigger.state === 'paused' ? 'goes on' : 'is paused'}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['triggers'] }),
  });
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failed what="The triggers" problem={list.error} onRetry={list.refetch} />;
  if (list.data.items.length === 0)
    return (
      <Empty title="No flow has a trigger yet">
        A flow that begins by hand, at a time, with a web request or with a message shows here after it is
        published.
      </Empty>
    );
  const columns: readonly Column<Trigger>[] = [
    {
      key: 'flow',
      head: 'Flow',
      cell: (row, tabIndex) => (
        <Link className="link" tabIndex={tabIndex} href={flowAddress(row.definitionId)}>
          {row.definitionId}
        </Link>
      ),
    },
    { key: 'name', head: 'Trigger', cell: (row) => row.trigger },
    { key: 'kind', head: 'Begins with', cell: (row) => kindWord(row.type) },
    {
      key: 'address',
      head: 'Where or when',
      isWide: true,
      cell: (row, tabIndex) => <Address trigger={row} tabIndex={tabIndex} />,
    },
    { key: 'state', head: 'State', cell: (row) => <TriggerState trigger={row} /> },
    {
      key: 'count',
      head: 'Arrivals',
      isNumber: true,
      cell: (row) => formatCount(countArrivals(row.counts).all),
    },
    {
      key: 'wrong',
      head: 'Went wrong',
      isNumber: true,
      isOptional: true,
      cell: (row) => formatCount(countArrivals(row.counts).wrong),
    },
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) => (
        <span className={styles['acts']}>
          <Button isSmall tabIndex={tabIndex} onClick={() => setFired(row)}>
            Send one…
          </Button>
          <Button
            isSmall
            tabIndex={tabIndex}
            isBusy={toggle.isPending && toggle.variables === row}
            onClick={() => toggle.mutate(row)}
          >
            {row.state === 'paused' ? 'Go on' : 'Pause'}
          </Button>
        </span>
      ),
    },
  ];
  return (
    <>
      {toggle.isError && <Failed problem={asProblem(toggle.error)} />}
      <Paged place={place} next={list.data.nextCursor}>
        <Table
          label="Triggers"
          rows={list.data.items}
          columns={columns}
          keyOf={(row) => `${row.definitionId}\n${row.trigger}`}
          nameOf={nameOf}
        />
      </Paged>
      {fired !== null && <FireDialog trigger={fired} onClose={() => setFired(null)} />}
    </>
  );
}

function TriggerState({ trigger }: { readonly trigger: Trigger }) {
  if (trigger.state === 'paused') return <StatusMark status="cancelled" word="Paused" isSmall />;
  if (trigger.broker !== undefined && !trigger.broker.connected)
    return (
      <span title={trigger.broker.error ?? ''}>
        <StatusMark status="failed" word="Not connected" isSmall />
      </span>
    );
  return <StatusMark status="completed" word="Open" isSmall />;
}

const ARRIVAL_COLUMNS: readonly Column<Arrival>[] = [
  { key: 'at', head: 'When', cell: (row) => <Time at={row.at} /> },
  { key: 'flow', head: 'Flow', cell: (row) => row.definitionId },
  { key: 'trigger', head: 'Trigger', cell: (row) => row.trigger },
  {
    key: 'outcome',
    head: 'What became of it',
    cell: (row) => {
      const { status, word } = outcomeLook(row.outcome);
      return <StatusMark status={status} word={word} isSmall />;
    },
  },
  {
    key: 'note',
    head: 'Why',
    isWide: true,
    cell: (row) => <span className="mid">{row.note ?? row.key ?? ''}</span>,
  },
  {
    key: 'run',
    head: 'Run',
    cell: (row, tabIndex) =>
      row.instanceId === undefined ? null : (
        <Link className="link" tabIndex={tabIndex} href={runAddress(row.instanceId)}>
          Open the run
        </Link>
      ),
  },
];

function Arrivals({ place }: { readonly place: Place }) {
  const [, navigate] = useLocation();
  const list = useQuery(arrivalsQuery(place.cursor));
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failed what="The arrivals" problem={list.error} onRetry={list.refetch} />;
  if (list.data.items.length === 0)
    return (
      <Empty title="Nothing has arrived yet">
        Each request, message and tick shows here with what became of it.
      </Empty>
    );
  return (
    <Paged place={place} next={list.data.nextCursor}>
      <Table
        label="Arrivals"
        rows={list.data.items}
        columns={ARRIVAL_COLUMNS}
        keyOf={(row) => String(row.number)}
        nameOf={(row) => `${row.trigger} of ${row.definitionId}, ${outcomeLook(row.outcome).word}`}
        onOpen={(row) => {
          if (row.instanceId !== undefined) navigate(runAddress(row.instanceId));
        }}
      />
    </Paged>
  );
}

function Unmatched({ place }: { readonly place: Place }) {
  const queries = useQueryClient();
  const list = useQuery(unmatchedQuery(place.cursor));
  const resend = useMutation({
    mutationFn: (number: number) => resendEvent(number, newKey()),
    onSuccess: () => announce('The event was sent again'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['arrivals'] }),
  });
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failed what="The events" problem={list.error} onRetry={list.refetch} />;
  if (list.data.items.length === 0)
    return (
      <Empty title="Every event was taken">
        An event that no run and no flow waits for is kept here and can be sent again.
      </Empty>
    );
  type Row = (typeof list.data.items)[number];
  const columns: readonly Column<Row>[] = [
    { key: 'at', head: 'When', cell: (row) => <Time at={row.receivedAt} /> },
    { key: 'type', head: 'Event', cell: (row) => <span className="m">{row.event.type}</span> },
    { key: 'source', head: 'From', isOptional: true, cell: (row) => row.event.source },
    { key: 'why', head: 'Why nobody took it', isWide: true, cell: (row) => row.reason },
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) => (
        <Button
          isSmall
          icon="retry"
          tabIndex={tabIndex}
          isBusy={resend.isPending && resend.variables === row.number}
          onClick={() => resend.mutate(row.number)}
        >
          Send again
        </Button>
      ),
    },
  ];
  return (
    <>
      {resend.isError && <Failed problem={asProblem(resend.error)} />}
      <Paged place={place} next={list.data.nextCursor}>
        <Table
          label="Events that nobody took"
          rows={list.data.items}
          columns={columns}
          keyOf={(row) => String(row.number)}
          nameOf={(row) => row.event.type}
        />
      </Paged>
    </>
  );
}
