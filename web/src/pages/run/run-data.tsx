/* pages/run/run-data.tsx — data of a run as names and values, by what they come from where the format tells. */
import { ValueList } from '../../ui/value-list';
import { t } from '../../texts/run';
import { groupsOf, NOT_OPENED } from './run-values';
import styles from './run.module.css';

interface RunDataProps {
  readonly value: unknown;
  readonly titles: ReadonlyMap<string, string>;
  readonly empty?: string;
}

export function RunData({ value, titles, empty = t.nothing }: RunDataProps) {
  const groups = groupsOf(value, titles);
  if (groups === null || groups.length === 0)
    return <ValueList value={groups === null ? value : undefined} empty={empty} />;
  return groups.map(({ title, value: each }, at) => (
    <div key={`${at} ${title}`} className={styles['group']}>
      <p dir="auto">{title}</p>
      <ValueList value={each} closed={NOT_OPENED} />
    </div>
  ));
}
