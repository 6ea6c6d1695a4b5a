/* pages/run/timeline.tsx — all visits of a run on one line of time. A row is chosen by click, arrows or Enter. */
import type { KeyboardEvent } from 'react';

import type { Visit } from '../../api/instances';
import { Icon } from '../../ui/icon';
import { kindLook } from '../../ui/kinds';
import { StatusMark } from '../../ui/status-mark';
import { Time } from '../../ui/time';
import { formatDuration } from '../../ui/times';
import { useNow } from '../../ui/use-now';
import { useRoving } from '../../ui/use-roving';
import { t } from '../../texts/run';
import styles from './timeline.module.css';
import { sayTry } from './try-words';
import { type Bar, type Scale, scaleByClock, scaleByWork, workMs } from './timeline-scale';

interface TimelineProps {
  readonly visits: readonly Visit[];
  readonly isOver: boolean;
  readonly isByClock: boolean;
  readonly selected: number | null;
  readonly onSelect: (number: number) => void;
  /** Steps of the picture: they know their kinds best. */
  readonly nodes: ReadonlyMap<string, { readonly kind: string; readonly type: string }>;
}

const percent = (part: number) => `${(part * 100).toFixed(2)}%`;

function stateOf(visit: Visit): string {
  if (visit.status === 'failed') return 'failed';
  if (visit.status !== 'running') return 'done';
  if (visit.kind === 'person') return 'person';
  return visit.kind === 'task' || visit.kind === 'child' ? 'running' : 'waiting';
}

function Lane({ visit, bar, scale }: { readonly visit: Visit; readonly bar: Bar; readonly scale: Scale }) {
  const state = stateOf(visit);
  const hasWaited = (visit.waitedMs ?? 0) > 0 || (visit.status === 'running' && visit.kind === 'person');
  const look = state === 'done' ? (visit.kind === 'person' ? 'person' : styles['past']) : state;
  return (
    <span className={styles['lane']}>
      {scale.ticks.map(({ at }) => (
        <u key={at} style={{ left: percent(at) }} />
      ))}
      <i
        className={`${look ?? ''} ${hasWaited || state === 'waiting' ? (styles['thin'] ?? '') : ''}`}
        style={{ left: percent(bar.left), width: `max(3px, ${percent(bar.width)})` }}
      />
      {scale.now !== null && <em style={{ left: percent(scale.now) }} />}
    </span>
  );
}

function Took({
  visit,
  now,
  isByClock,
}: {
  readonly visit: Visit;
  readonly now: number;
  readonly isByClock: boolean;
}) {
  const started = new Date(visit.startedAt).getTime();
  const ended = visit.endedAt === undefined ? now : new Date(visit.endedAt).getTime();
  const took = formatDuration(isByClock ? ended - started : workMs(visit, now));
  if (visit.status === 'failed') return <StatusMark status="failed" word={took} isSmall />;
  return <span>{visit.status === 'running' ? t.soFar(took) : took}</span>;
}

function Tries({ visit }: { readonly visit: Visit }) {
  return visit.tries.map((each) => {
    const said = sayTry(each);
    return (
      <div key={each.number} className={styles['try']} role="presentation">
        <span>{t.try(each.number)}</span>
        <span className={styles['at']}>
          <Time at={each.at} />
        </span>
        <span className={`mid cut ${styles['said'] ?? ''}`} title={said}>
          {said}
          {each.tookMs !== undefined && t.in(formatDuration(each.tookMs))}
        </span>
        <span />
      </div>
    );
  });
}

export function Timeline({ visits, isOver, isByClock, selected, onSelect, nodes }: TimelineProps) {
  const now = useNow(1000);
  const scale = isByClock ? scaleByClock(visits, now, isOver) : scaleByWork(visits, now);
  const roving = useRoving(visits.length);
  const onKeyDown = (event: KeyboardEvent, visit: Visit) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onSelect(visit.number);
    } else roving.onKeyDown(event);
  };
  return (
    <div className={styles['timeline']} data-rove-list>
      <div className={styles['axis']} aria-hidden="true">
        <span>{t.visit}</span>
        <span>{t.at}</span>
        <span className={styles['marks']}>
          {scale.ticks.map(({ at, label }) => (
            <span key={at} style={{ left: percent(at) }}>
              {label}
            </span>
          ))}
          {scale.now !== null && (
            <span className={styles['now']} style={{ left: percent(scale.now) }}>
              {t.now}
            </span>
          )}
        </span>
        <span>{isByClock ? t.took : t.worked}</span>
      </div>
      {visits.map((visit, index) => {
        const isSelected = visit.number === selected;
        const { kind, type } = nodes.get(visit.nodeId) ?? visit;
        return (
          <div key={visit.number} className={styles['group']}>
            <button
              type="button"
              data-rove
              className={`${styles['row'] ?? ''}${isSelected ? ` ${styles['selected'] ?? ''}` : ''}`}
              tabIndex={roving.tabIndexOf(index)}
              aria-pressed={isSelected}
              onClick={() => onSelect(visit.number)}
              onFocus={() => roving.setIndex(index)}
              onKeyDown={(event) => onKeyDown(event, visit)}
            >
              <span className={styles['name']}>
                <Icon name={kindLook(kind, type).icon} />
                <span className="cut" dir="auto" title={visit.title}>
                  {visit.title}
                </span>
              </span>
              <span className={styles['at']}>
                <Time at={visit.startedAt} />
              </span>
              <Lane visit={visit} bar={scale.bars[index] ?? { left: 0, width: 0 }} scale={scale} />
              <span className={styles['took']}>
                <Took visit={visit} now={now} isByClock={isByClock} />
              </span>
            </button>
            {isSelected && (visit.tries.length > 1 || visit.status === 'failed') && <Tries visit={visit} />}
          </div>
        );
      })}
    </div>
  );
}
