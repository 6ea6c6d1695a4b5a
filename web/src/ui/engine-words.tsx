/* ui/engine-words.tsx — what the engine says: in the language of the page where its code tells, and its own words beneath. */
import { sayPhrase } from '../texts/engine';
import styles from './faces.module.css';

interface EngineWordsProps {
  /** From texts/engine.ts; empty: there are only the engine's own words. */
  readonly sentence: string;
  readonly own: string;
}

export function EngineWords({ sentence, own }: EngineWordsProps) {
  if (sentence === '' || own === '') return <span dir="auto">{sentence || own}</span>;
  return (
    <>
      {sentence}
      <small className={styles['own']} lang="en" dir="auto">
        {own}
      </small>
    </>
  );
}

/** A hint of the engine that helps against a problem. */
export function EngineHint({ own }: { readonly own: string }) {
  const says = sayPhrase('hints', own);
  return (
    <span lang={says === '' ? 'en' : undefined} dir="auto">
      {says || own}
    </span>
  );
}
