/* pages/access/access-page.tsx — who may come in and do what: users, keys, grants, issuers, tenants; refusals and explanations. */
import type { ComponentType } from 'react';
import { Link, Redirect } from 'wouter';

import { accessAddress } from '../../ui/addresses';
import { useMay } from '../../ui/may';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/access';
import styles from './access.module.css';
import { Explain } from './explain';
import { Grants } from './grants';
import { Issuers } from './issuers';
import { Keys } from './keys';
import { Refusals } from './refusals';
import { Tenants } from './tenants';
import { Users } from './users';
import { PART_NAMES, type PartName, PARTS } from './words';

const VIEWS: { readonly [K in PartName]: ComponentType } = {
  users: Users,
  keys: Keys,
  grants: Grants,
  issuers: Issuers,
  tenants: Tenants,
  refusals: Refusals,
  explain: Explain,
};

export function AccessPage() {
  useTitle(t.access);
  useLive([]);
  const may = useMay();
  const asked = useParam('part');
  const parts = PART_NAMES.filter((name) => may(PARTS[name].needs));
  const here = parts.find((name) => name === asked) ?? parts[0];
  if (here === undefined) return null;
  // A part that is not for them, or none.
  if (asked !== here && asked !== '') return <Redirect to={accessAddress(here)} replace />;
  const View = VIEWS[here];
  return (
    <div className={styles['page']}>
      <h1>{t.access}</h1>
      <nav className="tabs" aria-label={t.whatToShow}>
        {parts.map((name) => (
          <Link
            key={name}
            href={accessAddress(name)}
            {...(name === here ? { 'aria-current': 'page' as const } : {})}
          >
            {PARTS[name].word}
          </Link>
        ))}
      </nav>
      <View />
    </div>
  );
}
