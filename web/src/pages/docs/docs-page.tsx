/* pages/docs/docs-page.tsx — help: what each page is for, the keys that work everywhere, and where the API is. */
import { Link } from 'wouter';

import { apiDocsAddress } from '../../ui/addresses';
import { keyGroups, sayKey } from '../../ui/keys';
import { PAGE_HELP } from '../../ui/page-help';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/docs';
import { t as ui } from '../../texts/ui';
import styles from './docs.module.css';

export function DocsPage() {
  useTitle(t.help);
  useLive([]); // Nothing here changes.
  const everywhere = keyGroups().find(({ title }) => title === ui.everywhere);
  return (
    <div className={styles['page']}>
      <h1>{t.help}</h1>
      <section className="card" aria-label={t.pages}>
        <header>
          <h2>{t.whatEachPage}</h2>
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
      <section className="card" aria-label={t.keys}>
        <header>
          <h2>{t.keysThatWorkEverywhere}</h2>
        </header>
        <dl className={styles['topics']}>
          {everywhere?.bindings.map(({ key, says, shown }) => (
            <div key={key + says}>
              <dt>
                <kbd>{sayKey(shown ?? key)}</kbd>
              </dt>
              <dd className="mid">{says}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="card" aria-label={t.forPrograms}>
        <header>
          <h2>{t.forPrograms}</h2>
        </header>
        <p className={styles['padded']}>
          {t.everythingThatThesePages(
            <Link href={apiDocsAddress} className="link">
              {t.theApi2}
            </Link>,
            <kbd>?</kbd>,
          )}
        </p>
      </section>
    </div>
  );
}
