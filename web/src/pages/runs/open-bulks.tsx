/* pages/runs/open-bulks.tsx — commands for many runs that are not over: who began one may have left its page. */
import { useQuery } from '@tanstack/react-query';

import { type Bulk, openBulksQuery } from '../../api/bulk';
import { Icon } from '../../ui/icon';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/runs';
import styles from './runs.module.css';

const NOUNS: { readonly [K in Bulk['action']]: string } = {
  retry: t.retrying,
  cancel: t.cancelling2,
  signal: t.sendingASignal,
  resend: t.sendingAgain,
  migrate: t.bringingToAnotherVersion,
  undo: t.bringingBack,
};

/** The progress of a command, in a few words. */
export function bulkWords({ action, found, done, state }: Bulk): string {
  const whom = action === 'resend' ? t.nEvents(found) : t.nRuns(found);
  return t.done(NOUNS[action], whom, formatCount(done), state === 'paused' ? t.paused : '');
}

export function OpenBulks({
  shown,
  onShow,
}: {
  readonly shown: string | null;
  readonly onShow: (id: string) => void;
}) {
  const query = useQuery(openBulksQuery());
  const others = query.data?.filter(({ id }) => id !== shown) ?? [];
  if (others.length === 0) return null;
  return (
    <ul className={styles['under']} aria-label={t.commandsThatAreUnderWay}>
      {others.map((bulk) => (
        <li key={bulk.id}>
          <button type="button" className="btn small" onClick={() => onShow(bulk.id)}>
            <Icon name="running" small />
            {bulkWords(bulk)}
          </button>
        </li>
      ))}
    </ul>
  );
}
