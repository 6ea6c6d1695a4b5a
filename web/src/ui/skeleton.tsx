/* ui/skeleton.tsx — the pending face of a query. Nothing shows for the first moment: most answers come sooner. */
import { t } from '../texts/ui';
import styles from './faces.module.css';

export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className={styles['skeleton']} role="status" aria-label={t.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <i key={line} />
      ))}
    </div>
  );
}
