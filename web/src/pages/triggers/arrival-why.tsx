/* pages/triggers/arrival-why.tsx — why that became of an arrival: a sentence, the engine's exact words behind "Details". */
import type { Arrival } from '../../api/triggers';
import { t } from '../../texts/triggers';
import styles from './triggers.module.css';
import { whyWords } from './words';

interface ArrivalWhyProps {
  readonly arrival: Pick<Arrival, 'outcome' | 'note'>;
  readonly tabIndex?: 0 | -1;
}

export function ArrivalWhy({ arrival, tabIndex = 0 }: ArrivalWhyProps) {
  const { says, exactly } = whyWords(arrival);
  return (
    <span className={`mid ${styles['why'] ?? ''}`}>
      <bdi>{says}</bdi>
      {exactly !== null && (
        <details>
          <summary tabIndex={tabIndex}>{t.details}</summary>
          <bdi>{exactly}</bdi>
        </details>
      )}
    </span>
  );
}
