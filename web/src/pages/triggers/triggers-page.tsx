/* pages/triggers/triggers-page.tsx — the doors of the flows: triggers, what arrived at them, and events that nobody took. The
 * address says which of them is looked at. */
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { asProblem } from '../../api/problem';
import {
  type Arrival,
  arrivalsQuery,
  definitionTriggersQuery,
  pauseTrigger,
  resendEvent,
  resumeTrigger,
  type Trigger,
  triggersQuery,
  unmatchedQuery,
} from '../../api/triggers';
import { flowAddress, runAddress, triggerAddress, triggersAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useMay, useMe } from '../../ui/may';
import { newKey } from '../../ui/new-key';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { kindWord } from '../../ui/trigger-words';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/triggers';
import { ArrivalWhy } from './arrival-why';
import { EventDialog } from './event-dialog';
import { FireDialog } from './fire-dialog';
import { TriggerPanel } from './trigger-panel';
import { TriggerState } from './trigger-state';
import { WaitingEvents } from './waiting-events';
import styles from './triggers.module.css';
import {
  addressOf,
  countArrivals,
  OUTCOME_NAMES,
  outcomeLook,
  parsePlace,
  type Place,
  printPlace,
  type Show,
  SHOWS,
  takenWords,
  untakenWords,
} from './words';

const SHOW_WORDS: { readonly [K in Show]: string } = {
  triggers: t.triggers,
  arrivals: t.arrivals,
  unmatched: t.eventsThatNobodyTook,
};

export function TriggersPage() {
  useTitle(t.triggers);
  useLive(['triggers', 'arrivals', 'definitions', 'overview']);
  const [, navigate] = useLocation();
  const may = useMay();
  const asked = parsePlace(useSearch());
  // Arrivals belong to runs.
  const place = may('instances:read') ? asked : { ...asked, show: 'triggers' as const };
  const queries = useQueryClient();
  const [fired, setFired] = useState<Trigger | null>(null);
  const toggle = useMutation({
    mutationFn: (trigger: Trigger) =>
      trigger.state === 'paused' ? resumeTrigger(trigger) : pauseTrigger(trigger),
    onSuccess: (_, trigger) =>
      announce(`${nameOf(trigger)} ${trigger.state === 'paused' ? t.goesOn : t.isPaused}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['triggers'] }),
  });
  const isLooking = place.show === 'triggers' && place.flow !== '' && place.trigger !== '';
  const acts: Acts = {
    onFire: setFired,
    onToggle: (trigger) => toggle.mutate(trigger),
    busy: toggle.isPending ? keyOf(toggle.variables) : null,
  };
  return (
    <div className={`bleed ${styles['page'] ?? ''}`} data-side={isLooking}>
      <div className={styles['left']}>
        <h1>{t.triggers}</h1>
        <nav className="tabs" aria-label={t.whatToShow}>
          {SHOWS.filter((show) => show === 'triggers' || may('instances:read')).map((show) => (
            <Link
              key={show}
              href={triggersAddress + printPlace({ show })}
              {...(show === place.show ? { 'aria-current': 'page' as const } : {})}
            >
              {SHOW_WORDS[show]}
            </Link>
          ))}
        </nav>
        {toggle.isError && <Failed problem={asProblem(toggle.error)} />}
        {place.show === 'triggers' && <Triggers place={place} acts={acts} />}
        {place.show === 'arrivals' && <Arrivals place={place} />}
        {place.show === 'unmatched' && <Unmatched place={place} />}
      </div>
      {isLooking && (
        <Looked
          place={place}
          acts={acts}
          onClose={() => navigate(triggersAddress + printPlace({ ...place, flow: '', trigger: '' }))}
        />
      )}
      {fired !== null && <FireDialog trigger={fired} onClose={() => setFired(null)} />}
    </div>
  );
}

/** The deeds that a trigger allows, from its row and from its panel. */
interface Acts {
  readonly onFire: (trigger: Trigger) => void;
  readonly onToggle: (trigger: Trigger) => void;
  /** The key of the trigger that is being paused or resumed. */
  readonly busy: string | null;
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
              {t.firstPage}
            </Link>
          )}
          {next !== undefined && (
            <Link className="btn small" href={triggersAddress + printPlace({ ...place, cursor: next })}>
              {t.nextPage}
            </Link>
          )}
        </footer>
      )}
    </section>
  );
}

const labelOf = (trigger: Trigger) => trigger.label ?? trigger.trigger;
const flowOf = (trigger: Trigger) => trigger.definitionName ?? trigger.definitionId;
const nameOf = (trigger: Trigger) => t.of(labelOf(trigger), flowOf(trigger));
const keyOf = ({ definitionId, trigger }: Pick<Trigger, 'definitionId' | 'trigger'>) =>
  `${definitionId}\n${trigger}`;

function sayNoAddress({ type, state }: Trigger): string {
  if (type === 'manual') return t.aButtonStarts;
  return state === 'paused' ? t.pausedItStartsNothing : t.itHasNoNextTime;
}

function Address({ trigger, tabIndex }: { readonly trigger: Trigger; readonly tabIndex: 0 | -1 }) {
  const tenant = useMe()?.tenant;
  if (trigger.nextAt !== undefined)
    return <span className="mid">{t.next(<Time at={trigger.nextAt} as="zoned" />)}</span>;
  // The panel has the address of a form.
  const address = trigger.type === 'manual' ? null : addressOf(trigger, location.origin, tenant);
  if (address === null) return <span className="dim">{sayNoAddress(trigger)}</span>;
  return (
    <span className={styles['address']}>
      <code className="cut" title={address}>
        {trigger.address}
      </code>
      <CopyButton text={address} what={t.theAddress} tabIndex={tabIndex} />
    </span>
  );
}

const Text = ({ children }: { readonly children: string }) => (
  <span className={`cut ${styles['name'] ?? ''}`} title={children}>
    <bdi>{children}</bdi>
  </span>
);

/* Facts that the panel shows of one trigger need no column while it is open: there is little room beside it. */
const IN_PANEL: ReadonlySet<string> = new Set(['count', 'wrong', 'act']);

function Triggers({ place, acts }: { readonly place: Place; readonly acts: Acts }) {
  const [, navigate] = useLocation();
  const list = useQuery(triggersQuery(place.cursor));
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failed what={t.theTriggers} problem={list.error} onRetry={list.refetch} />;
  if (list.data.items.length === 0) return <Empty title={t.noFlowHasATrigger}>{t.aFlowThatBegins}</Empty>;
  const columns: readonly Column<Trigger>[] = [
    {
      key: 'name',
      head: t.trigger,
      cell: (row, tabIndex) => (
        <Link className="m" tabIndex={tabIndex} href={triggerAddress(row.definitionId, row.trigger)}>
          <Text>{labelOf(row)}</Text>
        </Link>
      ),
    },
    {
      key: 'flow',
      head: t.flow,
      cell: (row, tabIndex) => (
        <Link className="link" tabIndex={tabIndex} href={flowAddress(row.definitionId)}>
          <Text>{flowOf(row)}</Text>
        </Link>
      ),
    },
    { key: 'kind', head: t.beginsWith, cell: (row) => kindWord(row.type) },
    {
      key: 'address',
      head: t.whereOrWhen,
      isWide: true,
      cell: (row, tabIndex) => <Address trigger={row} tabIndex={tabIndex} />,
    },
    { key: 'state', head: t.state, cell: (row) => <TriggerState trigger={row} /> },
    {
      key: 'count',
      head: t.arrivals,
      isNumber: true,
      cell: (row) => formatCount(countArrivals(row.counts).all),
    },
    {
      key: 'wrong',
      head: t.wentWrong,
      isNumber: true,
      isOptional: true,
      cell: (row) => formatCount(countArrivals(row.counts).wrong),
    },
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) => (
        <span className={styles['acts']}>
          <Button isSmall needs="triggers:operate" tabIndex={tabIndex} onClick={() => acts.onFire(row)}>
            {t.sendOne2}
          </Button>
          <Button
            isSmall
            needs="triggers:operate"
            tabIndex={tabIndex}
            isBusy={acts.busy === keyOf(row)}
            onClick={() => acts.onToggle(row)}
          >
            {row.state === 'paused' ? t.goOn : t.pause}
          </Button>
        </span>
      ),
    },
  ];
  return (
    <Paged place={place} next={list.data.nextCursor}>
      <Table
        label={t.triggers}
        rows={list.data.items}
        columns={columns.filter(({ key }) => place.trigger === '' || !IN_PANEL.has(key))}
        keyOf={keyOf}
        nameOf={nameOf}
        onOpen={(row) => navigate(triggerAddress(row.definitionId, row.trigger))}
      />
    </Paged>
  );
}

/** The trigger that the address names. */
function Looked({
  place,
  acts,
  onClose,
}: {
  readonly place: Place;
  readonly acts: Acts;
  readonly onClose: () => void;
}) {
  const list = useQuery(definitionTriggersQuery(place.flow));
  const trigger = list.data?.items.find((one) => one.trigger === place.trigger);
  if (trigger !== undefined)
    return (
      <TriggerPanel
        key={keyOf(trigger)}
        trigger={trigger}
        isBusy={acts.busy === keyOf(trigger)}
        onFire={() => acts.onFire(trigger)}
        onToggle={() => acts.onToggle(trigger)}
        onClose={onClose}
        arrivalsAddress={
          triggersAddress + printPlace({ show: 'arrivals', flow: place.flow, trigger: place.trigger })
        }
      />
    );
  return (
    <aside className={styles['panel']} aria-label={t.theTrigger}>
      {list.isPending && <Skeleton lines={6} />}
      {list.isError && <Failed problem={list.error} onRetry={list.refetch} what={t.theTrigger} />}
      {list.isSuccess && (
        <Empty title={t.thereIsNoSuchTrigger}>
          <Button isSmall onClick={onClose}>
            {t.backToAll}
          </Button>
        </Empty>
      )}
    </aside>
  );
}

/** The names of the triggers and flows of arrivals. One that is not known, or is no more, is called by its id. */
interface ArrivalNames {
  readonly trigger: (arrival: Arrival) => string;
  readonly flow: (arrival: Arrival) => string;
}

function namesOf(triggers: readonly Trigger[]): ArrivalNames {
  const known = new Map(triggers.map((each) => [keyOf(each), each]));
  return {
    trigger: (arrival) => known.get(keyOf(arrival))?.label ?? arrival.trigger,
    flow: (arrival) => known.get(keyOf(arrival))?.definitionName ?? arrival.definitionId,
  };
}

const NO_ARRIVALS: readonly Arrival[] = [];

/** One question gives the names of most engines; flows that are not on that page are asked for one by one. */
function useNames(arrivals: readonly Arrival[]): ArrivalNames {
  const first = useQuery(triggersQuery(''));
  const known = new Set(first.data?.items.map(keyOf));
  const missing = arrivals.filter((each) => first.isSuccess && !known.has(keyOf(each)));
  const others = useQueries({
    queries: [...new Set(missing.map(({ definitionId }) => definitionId))].map(definitionTriggersQuery),
    combine: (results) => results.flatMap(({ data }) => data?.items ?? []),
  });
  return useMemo(() => namesOf([...(first.data?.items ?? []), ...others]), [first.data, others]);
}

const arrivalColumns = (names: ArrivalNames): readonly Column<Arrival>[] => [
  { key: 'at', head: t.when, cell: (row) => <Time at={row.at} /> },
  {
    key: 'trigger',
    head: t.trigger,
    cell: (row, tabIndex) => (
      <Link className="link" tabIndex={tabIndex} href={triggerAddress(row.definitionId, row.trigger)}>
        <Text>{names.trigger(row)}</Text>
      </Link>
    ),
  },
  { key: 'flow', head: t.flow, cell: (row) => <Text>{names.flow(row)}</Text> },
  { key: 'key', head: t.key, isOptional: true, cell: (row) => <Text>{row.key ?? ''}</Text> },
  {
    key: 'outcome',
    head: t.whatBecame,
    cell: (row) => {
      const { status, word } = outcomeLook(row.outcome);
      return <StatusMark status={status} word={word} isSmall />;
    },
  },
  {
    key: 'note',
    head: t.why,
    isWide: true,
    cell: (row, tabIndex) => <ArrivalWhy arrival={row} tabIndex={tabIndex} />,
  },
  {
    key: 'run',
    head: t.run,
    cell: (row, tabIndex) =>
      row.instanceId === undefined ? null : (
        <Link className="link" tabIndex={tabIndex} href={runAddress(row.instanceId)}>
          {t.openTheRun}
        </Link>
      ),
  },
];

function ArrivalFilter({ place }: { readonly place: Place }) {
  const [, navigate] = useLocation();
  const id = useId();
  const show = (changes: Partial<Place>) =>
    navigate(triggersAddress + printPlace({ ...place, cursor: '', ...changes }));
  return (
    <div className={styles['filter']}>
      <label htmlFor={id} className="dim s">
        {t.whatBecame}
      </label>
      <select
        id={id}
        className="in"
        value={place.outcome}
        onChange={(event) => show({ outcome: event.target.value })}
      >
        <option value="">{t.anything}</option>
        {OUTCOME_NAMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {outcomeLook(outcome).word}
          </option>
        ))}
      </select>
      {place.trigger !== '' && (
        <span className="chip">
          <span className="k">{t.triggerIs}</span>
          <b className={`cut ${styles['name'] ?? ''}`} dir="auto" title={place.trigger}>
            {place.trigger}
          </b>
          <button
            type="button"
            className="x"
            aria-label={t.removeTrigger(place.trigger)}
            onClick={() => show({ flow: '', trigger: '' })}
          >
            <Icon name="close" small />
          </button>
        </span>
      )}
    </div>
  );
}

function Arrivals({ place }: { readonly place: Place }) {
  const [, navigate] = useLocation();
  const list = useQuery(
    arrivalsQuery({
      ...(place.cursor === '' ? {} : { cursor: place.cursor }),
      ...(place.flow === '' ? {} : { definitionId: place.flow }),
      ...(place.trigger === '' ? {} : { trigger: place.trigger }),
      ...(place.outcome === '' ? {} : { outcome: place.outcome }),
    }),
  );
  const names = useNames(list.data?.items ?? NO_ARRIVALS);
  const columns = useMemo(() => arrivalColumns(names), [names]);
  const isFiltered = place.outcome !== '' || place.trigger !== '';
  return (
    <>
      <ArrivalFilter place={place} />
      {list.isPending && <Skeleton lines={6} />}
      {list.isError && <Failed what={t.theArrivals} problem={list.error} onRetry={list.refetch} />}
      {list.isSuccess && list.data.items.length === 0 && (
        <Empty title={isFiltered ? t.nothingFits : t.nothingHasArrivedYet2}>
          {isFiltered ? t.takeTheFilterAway : t.eachRequestMessageAndTick}
        </Empty>
      )}
      {list.isSuccess && list.data.items.length > 0 && (
        <Paged place={place} next={list.data.nextCursor}>
          <Table
            label={t.arrivals}
            rows={list.data.items}
            columns={columns}
            keyOf={(row) => String(row.number)}
            nameOf={(row) => t.of2(names.trigger(row), names.flow(row), outcomeLook(row.outcome).word)}
            onOpen={(row) => {
              if (row.instanceId !== undefined) navigate(runAddress(row.instanceId));
            }}
          />
        </Paged>
      )}
    </>
  );
}

function Unmatched({ place }: { readonly place: Place }) {
  const queries = useQueryClient();
  const list = useQuery(unmatchedQuery(place.cursor));
  const [isSending, setSending] = useState(false);
  const resend = useMutation({
    mutationFn: ({ number, key }: { readonly number: number; readonly key: string }) =>
      resendEvent(number, key),
    onSettled: () => queries.invalidateQueries({ queryKey: ['arrivals'] }),
  });
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failed what={t.theEvents} problem={list.error} onRetry={list.refetch} />;
  type Row = (typeof list.data.items)[number];
  const columns: readonly Column<Row>[] = [
    { key: 'at', head: t.when, cell: (row) => <Time at={row.receivedAt} /> },
    { key: 'type', head: t.event, cell: (row) => <Text>{row.event.type}</Text> },
    { key: 'source', head: t.from, isOptional: true, cell: (row) => <Text>{row.event.source}</Text> },
    {
      key: 'why',
      head: t.whyNobodyTook,
      isWide: true,
      cell: (row) => (
        <span className="mid" title={row.reason}>
          <bdi>{untakenWords(row.reason)}</bdi>
        </span>
      ),
    },
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) => (
        <Button
          isSmall
          icon="retry"
          needs="instances:operate"
          tabIndex={tabIndex}
          isBusy={resend.isPending && resend.variables.number === row.number}
          onClick={() => resend.mutate({ number: row.number, key: newKey() })}
        >
          {t.sendAgain}
        </Button>
      ),
    },
  ];
  return (
    <>
      {resend.isError && <Failed problem={asProblem(resend.error)} />}
      <p className={styles['became']} role="status">
        {resend.isSuccess && (
          <>
            {takenWords(resend.data)}{' '}
            {resend.data.instances[0] !== undefined && (
              <Link className="link" href={runAddress(resend.data.instances[0].id)}>
                {t.openTheRun}
              </Link>
            )}
          </>
        )}
      </p>
      <div className={styles['filter']}>
        <Button icon="event" needs="events:send" onClick={() => setSending(true)}>
          {t.sendAnEvent2}
        </Button>
        <span className="dim s">{t.eventsThatNobodyTook2}</span>
      </div>
      {isSending && <EventDialog onClose={() => setSending(false)} />}
      <WaitingEvents events={list.data.waiting ?? []} isMore={list.data.waitingMore === true} />
      {list.data.items.length === 0 ? (
        <Empty title={t.everyEventWasTaken}>{t.anEventThatNoRun}</Empty>
      ) : (
        <Paged place={place} next={list.data.nextCursor}>
          <Table
            label={t.eventsThatNobodyTook}
            rows={list.data.items}
            columns={columns}
            keyOf={(row) => String(row.number)}
            nameOf={(row) => row.event.type}
          />
        </Paged>
      )}
    </>
  );
}
