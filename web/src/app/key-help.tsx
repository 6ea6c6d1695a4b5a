/* app/key-help.tsx — help for the page that is shown: what it is for, the keys that work now (from the table that their handler reads), and
 * what it asked the engine for. */
import { Link, useLocation } from 'wouter';

import { askedHere, curlOf } from '../api/asked';
import { isOpen } from '../api/me';
import { apiDocsAddress, docsAddress } from '../ui/addresses';
import { CopyButton } from '../ui/copy-button';
import { Dialog } from '../ui/dialog';
import { keyGroups, sayKey } from '../ui/keys';
import { useMe } from '../ui/may';
import { helpOf } from '../ui/page-help';
import { t } from '../texts/app';
import styles from './key-help.module.css';

function Asked() {
  const isLocked = !isOpen(useMe());
  const asked = askedHere();
  if (asked.length === 0) return null;
  return (
    <details>
      <summary>{t.thisPageAsCurl}</summary>
      <ul className={styles['asked']}>
        {asked.map((url) => (
          <li key={url}>
            <code>{url.replace(location.origin, '')}</code>
            <CopyButton text={curlOf(url, { isLocked })} what={t.theLine(url.replace(location.origin, ''))} />
          </li>
        ))}
      </ul>
    </details>
  );
}

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const [here] = useLocation();
  const help = helpOf(here);
  return (
    <Dialog title={help?.word ?? t.help} onClose={onClose}>
      {help !== null && <p className="mid">{help.says}</p>}
      {keyGroups().map(({ title, bindings }) => (
        <section key={title}>
          <h3>{t.keys(title)}</h3>
          <dl className={styles['keys']}>
            {bindings.map(({ key, says, shown }) => (
              <div key={key + says}>
                <dt>
                  <kbd>{sayKey(shown ?? key)}</kbd>
                </dt>
                <dd>{says}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Asked />
      <p>
        <Link href={docsAddress} className="link" onClick={onClose}>
          {t.allHelp}
        </Link>
        {' · '}
        <Link href={apiDocsAddress} className="link" onClick={onClose}>
          {t.theApi}
        </Link>
      </p>
    </Dialog>
  );
}
