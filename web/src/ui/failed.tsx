/* ui/failed.tsx — the failed face of a query: what the engine said, and a way to ask again. */
import { asProblem } from '../api/problem';
import { Button } from './button';
import styles from './faces.module.css';
import { Icon } from './icon';

interface FailedProps {
  readonly problem: unknown;
  readonly onRetry?: () => unknown;
  /** What could not be shown, at the beginning of a sentence: "The runs". */
  readonly what?: string;
}

export function Failed({ problem, onRetry, what }: FailedProps) {
  const { message, status } = asProblem(problem);
  return (
    <div className={styles['failed']} role="alert">
      <Icon name="failed" />
      <p>
        {what !== undefined && <b>{what} cannot be shown. </b>}
        {status === 404 ? `There is no such thing here. ${message}` : message}
      </p>
      {onRetry !== undefined && (
        <Button isSmall icon="retry" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </div>
  );
}
