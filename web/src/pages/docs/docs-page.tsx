/* pages/docs/docs-page.tsx — help: what each page is for, the keys that work everywhere, and where the API is. */
import { Link } from 'wouter';

import { apiDocsAddress } from '../../ui/addresses';
import { keyGroups } from '../../ui/keys';
import { PAGE_HELP } from '../../ui/page-help';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import styles from './docs.module.css';

export function DocsPage() {
  useTitle('Help');
  useLive([]); // Nothing here changes.
  const everywhere = keyGroups().find(({ title }) => title === 'Everywhere');
  return (
    <div className={styles['page']}>
      <h1>Help</h1>
      <section className="card" aria-label="Pages">
        <header>
          <h2>What each page is for</h2>
        </header>
        <dl className={styles['topics']}>
          {PAGE_HELP.filter(({ at }) => at !== '/docs').map(({ at, word, says }) => (
            <div key={at}>
              <dt>
                <Link href={at} className="link">
                  {word}
                </Link>
              </dt>
              <dd className="mid">{says}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="card" aria-label="Keys">
        <header>
          <h2>Keys that work everywhere</h2>
        </header>
        <dl className={styles['topics']}>
          {everywhere?.bindings.map(({ key, says, shown }) => (
            <div key={key + says}>
              <dt>
                <kbd>{shown ?? key}</kbd>
              </dt>
              <dd className="mid">{says}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="card" aria-label="For programs">
        <header>
          <h2>For programs</h2>
        </header>
        <p className={styles['padded']}>
          Everything that these pages show and do is in{' '}
          <Link href={apiDocsAddress} className="link">
            the API
          </Link>
          , with an example and a line for curl for each operation. <kbd>?</kbd> on any page shows what that
          page asked the engine for.
        </p>
      </section>
    </div>
  );
}
