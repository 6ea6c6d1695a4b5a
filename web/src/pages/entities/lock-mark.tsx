/* pages/entities/lock-mark.tsx — whether a model takes entities: only a locked one does. */
import { StatusMark } from '../../ui/status-mark';

export function LockMark({ isLocked }: { readonly isLocked: boolean }) {
  return (
    <span
      title={
        isLocked
          ? 'Its fields are settled, and entities can be created.'
          : 'Its fields may still change. It takes entities when it is locked.'
      }
    >
      <StatusMark
        status={isLocked ? 'completed' : 'waiting'}
        word={isLocked ? 'Locked' : 'Not locked yet'}
        isSmall
      />
    </span>
  );
}
