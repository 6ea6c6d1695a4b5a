/* ui/status-mark.tsx — a status: an outline, a word and a colour, never one of them alone. */
import { Icon } from './icon';
import { lookOf } from './words';

interface StatusMarkProps {
  /** One of the six statuses; `done` is taken for `completed`. */
  readonly status: string;
  /** Instead of the status's own word. */
  readonly word?: string;
  readonly isPill?: boolean;
  readonly isSmall?: boolean;
}

export function StatusMark({ status, word, isPill = false, isSmall = false }: StatusMarkProps) {
  const look = lookOf(status);
  return (
    <span className={`st ${look.look}${isPill ? ' pill' : ''}${isSmall ? ' s' : ''}`}>
      <Icon name={look.icon} small={isSmall} />
      {word ?? look.word}
    </span>
  );
}
