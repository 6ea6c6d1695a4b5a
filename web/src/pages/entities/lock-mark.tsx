/* pages/entities/lock-mark.tsx — whether a model takes entities: only a locked one does. */
import { StatusMark } from '../../ui/status-mark';
import { t } from '../../texts/entities';

export function LockMark({ isLocked }: { readonly isLocked: boolean }) {
  return (
    <span title={isLocked ? t.itsFieldsAreSettled : t.itsFieldsMayStillChange}>
      <StatusMark
        status={isLocked ? 'completed' : 'waiting'}
        word={isLocked ? t.locked : t.notLockedYet}
        isSmall
      />
    </span>
  );
}
