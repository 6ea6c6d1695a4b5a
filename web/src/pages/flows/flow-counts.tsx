/* pages/flows/flow-counts.tsx — how many runs of a flow stand how; each number leads to its runs. */
import type { Definition } from '../../api/definitions';
import { runsAddress } from '../../ui/addresses';
import { Icon } from '../../ui/icon';
import { MayLink } from '../../ui/may-link';
import { printFilter } from '../../ui/run-filter';
import { formatCount, lookOf, STATUSES } from '../../ui/words';
import { t } from '../../texts/flows';
import styles from './flows.module.css';

/** A run that waits for a person counts as waiting, too: here each counts once. */
export function countsOnce({ counts }: Pick<Definition, 'counts'>): Definition['counts'] {
  return { ...counts, waiting: Math.max(0, counts.waiting - counts.person) };
}

export function FlowCounts({
  flow,
  tabIndex = 0,
}: {
  readonly flow: Definition;
  readonly tabIndex?: 0 | -1;
}) {
  const counts = countsOnce(flow);
  const shown = STATUSES.filter((status) => counts[status] > 0);
  if (shown.length === 0) return <span className="dim s">{t.noRunsYet}</span>;
  return (
    <span className={styles['counts']}>
      {shown.map((status) => {
        const look = lookOf(status);
        return (
          <MayLink
            needs="instances:read"
            key={status}
            href={runsAddress(printFilter({ status: [status], definitionId: flow.definitionId }))}
            className={`st s ${look.look}`}
            title={look.word}
            tabIndex={tabIndex}
          >
            <Icon name={look.icon} small />
            {formatCount(counts[status])}
            <span className="sr">{look.word}</span>
          </MayLink>
        );
      })}
    </span>
  );
}
