/* ui/failed.tsx — the failed face of a query: what the engine said, and a way to ask again. */
import { asProblem } from '../api/problem';
import { t } from '../texts/ui';
import { Button } from './button';
import { EngineWords } from './engine-words';
import styles from './faces.module.css';
import { Icon } from './icon';

interface FailedProps {
  readonly problem: unknown;
  readonly onRetry?: () => unknown;
  /** The thing that could not be shown, at the beginning of a sentence: "The runs". */
  readonly what?: string;
}

export function Failed({ problem, onRetry, what }: FailedProps) {
  const { message, own, sentence, status } = asProblem(problem);
  return (
    <div className={styles['failed']} role="alert">
      <Icon name="failed" />
      <p>
        {what !== undefined && <b>{t.cannotBeShown(what)}</b>}
        {sentence !== '' ? (
          <EngineWords sentence={sentence} own={own} />
        ) : status === 404 ? (
          t.thereIsNoSuchThing(message)
        ) : (
          message
        )}
      </p>
      {onRetry !== undefined && (
        <Button isSmall icon="retry" onClick={() => void onRetry()}>
          {t.tryAgain}
        </Button>
      )}
    </div>
  );
}
