/* pages/runs/held-groups.tsx — runs grouped by what holds them: failed ones by reason, others by where they stand. A group opens
 * to its runs, and leads to a list of them alone or to the action that helps all of them. */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';

import type { RunItem } from '../../api/instances';
import { overviewQuery } from '../../api/operate';
import { type GroupsAsked, type RunGroup, runGroupsQuery } from '../../api/run-groups';
import { runsQuery } from '../../api/runs';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { useMay } from '../../ui/may';
import { MayLink } from '../../ui/may-link';
import type { RunFilter } from '../../ui/run-filter';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { useRoving } from '../../ui/use-roving';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/runs';
import { sayGroup } from './say-group';
import { askedOf, filterOfGroup, groupKey } from './asked';
import styles from './runs.module.css';

const ROWS = 10;
/** Counting is work: it is not done more often, however much happens. */
const AGAIN_MS = 3000;

interface GroupsProps {
  readonly filter: RunFilter;
  readonly after: string | undefined;
  readonly opened: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly addressOf: (filter: RunFilter, action: 'retry' | 'signal' | null) => string;
  readonly children: (rows: readonly RunItem[]) => ReactNode;
}

/** Asks again when the engine's counts have changed, and not at every change. */
function useGroups(asked: GroupsAsked) {
  const query = useQuery(runGroupsQuery(asked));
  const may = useMay();
  const overview = useQuery({ ...overviewQuery(), enabled: may('metrics:read') });
  const { dataUpdatedAt, refetch } = query;
  const changedAt = overview.dataUpdatedAt;
  useEffect(() => {
    if (dataUpdatedAt === 0 || changedAt <= dataUpdatedAt) return;
    const timer = setTimeout(() => void refetch(), Math.max(0, dataUpdatedAt + AGAIN_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [changedAt, dataUpdatedAt, refetch]);
  return query;
}

export function HeldGroups({ filter, after, opened, onToggle, addressOf, children }: GroupsProps) {
  const query = useGroups(askedOf(filter, after));
  const groups = query.data?.groups ?? [];
  const roving = useRoving(groups.length, { hasLetters: true });
  if (query.isPending) return <Skeleton lines={12} />;
  if (query.isError && groups.length === 0)
    return <Failed problem={query.error} onRetry={query.refetch} what={t.theGroups} />;
  if (groups.length === 0) return <Empty title={t.nothingIsHeld}>{t.noRunThatFits}</Empty>;
  return (
    <>
      <ul className={styles['held']} data-rove-list aria-label={t.runsByWhatHoldsThem}>
        {groups.map((group, index) => {
          const key = groupKey(group);
          return (
            <Group
              key={key}
              group={group}
              filter={filter}
              after={after}
              isOpen={opened.has(key)}
              tabIndex={roving.tabIndexOf(index)}
              onToggle={() => onToggle(key)}
              onKeyDown={roving.onKeyDown}
              onFocus={() => roving.setIndex(index)}
              addressOf={addressOf}
            >
              {children}
            </Group>
          );
        })}
      </ul>
      {(query.data?.cut === true || (query.data?.ungrouped ?? 0) > 0) && (
        <p className={styles['counted']}>
          {query.data?.cut === true && t.countedAmongTheNewestRuns(formatCount(query.data.looked))}
          {(query.data?.ungrouped ?? 0) > 0 && t.inFurtherGroups(t.nRuns(query.data?.ungrouped ?? 0))}
        </p>
      )}
    </>
  );
}

interface GroupProps {
  readonly group: RunGroup;
  readonly filter: RunFilter;
  readonly after: string | undefined;
  readonly isOpen: boolean;
  readonly tabIndex: 0 | -1;
  readonly onToggle: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: () => void;
  readonly addressOf: GroupsProps['addressOf'];
  readonly children: (rows: readonly RunItem[]) => ReactNode;
}

function Group(props: GroupProps) {
  const { group, filter, after, isOpen, tabIndex, onToggle, onKeyDown, onFocus, addressOf, children } = props;
  const own = filterOfGroup(filter, group);
  const where = group.status === 'failed' && group.nodeTitle !== undefined ? t.at(group.nodeTitle) : '';
  return (
    <li>
      <div className={styles['group']}>
        <button
          type="button"
          className={styles['open']}
          aria-expanded={isOpen}
          data-rove
          tabIndex={tabIndex}
          onClick={onToggle}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
        >
          <Icon name={isOpen ? 'down' : 'right'} small />
          <StatusMark status={group.status} isSmall />
          <b className="cut" dir="auto" title={sayGroup(group)}>
            {sayGroup(group)}
          </b>
          <span className="dim s cut" dir="auto">
            {where}
            {group.definitionName}
          </span>
          <span className="grow" />
          <span className={`dim s ${styles['since'] ?? ''}`}>
            {t.oldest(<Time at={group.oldestAt} as="ago" />)}
          </span>
          <b className={styles['count']}>{formatCount(group.count)}</b>
          <span className="sr">{group.count === 1 ? t.run : t.runs}</span>
        </button>
        <span className={styles['do']}>
          {group.status === 'failed' && (
            <MayLink className="btn small" needs="instances:operate" href={addressOf(own, 'retry')}>
              {t.retry2}
            </MayLink>
          )}
          {group.waitingFor === 'signal' && (
            <MayLink className="btn small" needs="instances:operate" href={addressOf(own, 'signal')}>
              {t.signal2}
            </MayLink>
          )}
          <Link className="btn small quiet" href={addressOf(own, null)}>
            {t.list}
          </Link>
        </span>
      </div>
      {isOpen && (
        <GroupRuns filter={own} after={after} listAddress={addressOf(own, null)}>
          {children}
        </GroupRuns>
      )}
    </li>
  );
}

interface GroupRunsProps {
  readonly filter: RunFilter;
  readonly after: string | undefined;
  readonly listAddress: string;
  readonly children: (rows: readonly RunItem[]) => ReactNode;
}

function GroupRuns({ filter, after, listAddress, children }: GroupRunsProps) {
  const query = useQuery(runsQuery({ ...askedOf(filter, after), pageSize: ROWS }));
  if (query.isPending) return <Skeleton lines={3} />;
  if (query.isError) return <Failed problem={query.error} onRetry={query.refetch} what={t.theRuns} />;
  if (query.data.items.length === 0) return <Empty title={t.theyHaveMoved}>{t.theGroupIsCountedAgain}</Empty>;
  return (
    <>
      {children(query.data.items)}
      {query.data.nextCursor !== undefined && (
        <p className={styles['counted']}>
          <Link className="link" href={listAddress}>
            {t.allOfThisGroup}
          </Link>
        </p>
      )}
    </>
  );
}
