/* ui/time.tsx — a moment, in the words of times.ts; the whole date is in its title. */
import { formatAgo, formatClock, formatDue, formatWhole, formatZoned } from './times';
import { useNow } from './use-now';

const WAYS = { ago: formatAgo, clock: formatClock, due: formatDue, zoned: formatZoned } as const;

interface TimeProps {
  readonly at: string;
  readonly as?: keyof typeof WAYS;
}

export function Time({ at, as = 'clock' }: TimeProps) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatWhole(at)}>
      {WAYS[as](at, now)}
    </time>
  );
}
