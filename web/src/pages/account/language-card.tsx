/* pages/account/language-card.tsx — the language of this browser's pages, and the zone that their times are in. */
import { useId, useState } from 'react';

import { t } from '../../texts/account';
import {
  isLanguage,
  keepLanguage,
  keptLanguage,
  LANGUAGES,
  languageFor,
  type Language,
} from '../../texts/language';
import { formatOffset, ownZone } from '../../ui/times';
import { useNow } from '../../ui/use-now';
import styles from './account.module.css';

const NAMES = Object.keys(LANGUAGES) as readonly Language[];

export function LanguageCard() {
  const id = useId();
  const now = useNow(60_000);
  const [kept, setKept] = useState(keptLanguage);
  const choose = (value: string) => {
    const next = isLanguage(value) ? value : null;
    setKept(next);
    keepLanguage(next);
    // The texts of a page are constants: it begins anew in the other language.
    location.reload();
  };
  return (
    <section className={`card ${styles['form'] ?? ''}`} aria-label={t.languageAndTime}>
      <div className="field">
        <label htmlFor={id}>{t.language}</label>
        <select
          id={id}
          className="in"
          value={kept ?? ''}
          aria-describedby={`${id}-help`}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{t.asTheBrowserSays(LANGUAGES[languageFor(null, navigator.languages)])}</option>
          {NAMES.map((name) => (
            <option key={name} value={name} lang={name}>
              {LANGUAGES[name]}
            </option>
          ))}
        </select>
        <span className="help" id={`${id}-help`}>
          {t.languageSays}
        </span>
      </div>
      <div>
        <b>{t.timeZone}</b>{' '}
        <span>
          {ownZone()} ({formatOffset(now)})
        </span>
        <p className="help">{t.zoneSays}</p>
      </div>
    </section>
  );
}
