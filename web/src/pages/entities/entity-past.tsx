/* pages/entities/entity-past.tsx — the versions of an entity, to choose from, and its audit: who did what, and how it ended. */
import { useInfiniteQuery, type UseQueryResult } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';

import { auditQuery, type EntityChange } from '../../api/entities';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { t } from '../../texts/entities';
import { auditEntries } from './audit-entries';
import styles from './entities.module.css';

const TABS = ['versions', 'audit'] as const;
const TAB_WORDS: { readonly [K in (typeof TABS)[number]]: string } = { versions: t.versions, audit: t.audit };
const KINDS: { readonly [K in EntityChange['changeType']]: string } = {
  CREATE: t.created3,
  UPDATE: t.changed2,
  DELETE: t.deleted,
};

/** The person who did it: the engine knows what callers say, and its own timers. */
function whoOf(user: string): string {
  return user === 'timer' ? t.theEngineWhen : user === '' ? t.somebodyUnnamed : user;
}

interface VersionsProps {
  readonly changes: readonly EntityChange[];
  readonly shown: string | null;
  readonly onChoose: (transactionId: string) => void;
}

function Versions({ changes, shown, onChoose }: VersionsProps) {
  return (
    <ul className={styles['versions']} aria-label={t.versions}>
      {changes.map((change, index) => (
        <li key={change.transactionId}>
          <button
            type="button"
            aria-pressed={change.transactionId === shown}
            onClick={() => onChoose(change.transactionId)}
          >
            <span className="tag">v{changes.length - index}</span>
            <span className="m">{KINDS[change.changeType]}</span>
            <span className="mid cut">{t.by(<bdi>{whoOf(change.user)}</bdi>)}</span>
            <span className="grow" />
            <span className="dim s">
              <Time at={change.timeOfChange} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Audit({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(auditQuery(id));
  if (query.isPending) return <Skeleton lines={6} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.theAudit} />;
  const entries = auditEntries(query.data.pages.flatMap((page) => page.items));
  if (entries.length === 0) return <Empty title={t.nothingIsKnown} />;
  return (
    <>
      <ol className={styles['audit']} aria-label={t.audit}>
        {entries.map((entry) => (
          <li key={entry.transactionId}>
            <span className="dim s">
              <Time at={entry.at} />
            </span>
            <b className="cut">
              <bdi>{whoOf(entry.actor)}</bdi>
            </b>
            <ul>
              {entry.lines.map((line, index) => (
                <li key={index} className={line.isWarning ? 'st person' : ''}>
                  {line.isWarning && <Icon name="warn" small />}
                  <span>{line.text}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <p className={styles['padded']}>
          <Button isSmall isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t.earlier}
          </Button>
        </p>
      )}
    </>
  );
}

interface EntityPastProps extends Omit<VersionsProps, 'changes'> {
  readonly id: string;
  readonly changes: UseQueryResult<EntityChange[]>;
}

export function EntityPast({ id, changes, shown, onChoose }: EntityPastProps) {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((each) => each === params.get('tab')) ?? 'versions';
  const show = (next: (typeof TABS)[number]) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (next === 'versions') after.delete('tab');
        else after.set('tab', next);
        return after;
      },
      { replace: true },
    );
  return (
    <section className="card">
      <header>
        <div className="tabs" role="group" aria-label={t.itsPast}>
          {TABS.map((each) => (
            <button
              key={each}
              type="button"
              {...(each === tab ? { 'aria-current': true as const } : {})}
              onClick={() => show(each)}
            >
              {TAB_WORDS[each]}
              {each === 'versions' && <span className="n">{changes.data?.length ?? ''}</span>}
            </button>
          ))}
        </div>
      </header>
      <div className={styles['scroll']} tabIndex={tab === 'audit' ? 0 : -1}>
        {tab === 'versions' && changes.isPending && <Skeleton lines={4} />}
        {tab === 'versions' && changes.isError && (
          <Failed problem={changes.error} onRetry={changes.refetch} what={t.theVersions} />
        )}
        {tab === 'versions' && changes.data !== undefined && (
          <Versions changes={changes.data} shown={shown} onChoose={onChoose} />
        )}
        {tab === 'audit' && <Audit id={id} />}
      </div>
    </section>
  );
}
