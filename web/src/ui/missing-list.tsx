/* ui/missing-list.tsx — secrets, connections, workers and calculation nodes that a flow needs and that are not there now. */
import { Link } from 'wouter';

import type { Schemas } from '../api/client';
import { t } from '../texts/ui';
import { connectionsAddress, workersAddress } from './addresses';
import { Icon } from './icon';
import { useMay } from './may';
import { missingWords } from './missing-words';
import styles from './missing-list.module.css';

type Missing = Schemas['Missing'][number];

/** Where somebody can do something about it. */
function Way({ missing: { code, name } }: { readonly missing: Missing }) {
  const may = useMay();
  const isConnection = code === 'MISSING_SECRET' || code === 'MISSING_CONNECTION';
  if (isConnection && may('secrets:use'))
    return (
      <Link href={connectionsAddress(name === '--smtp' ? '' : name)} className="link">
        {t.connections}
      </Link>
    );
  if (code === 'MISSING_WORKER' && may('metrics:read'))
    return (
      <Link href={workersAddress} className="link">
        {t.workers}
      </Link>
    );
  return null;
}

export function MissingList({ missing }: { readonly missing: readonly Missing[] }) {
  return (
    <section className={styles['missing']} aria-label={t.notThereYet}>
      <p className="st person">
        <Icon name="warn" />
        {t.itCanBePublishedBut}
      </p>
      <ul>
        {missing.map((each) => (
          <li key={`${each.code} ${each.name}`}>
            <span dir="auto">{missingWords(each)}</span> <Way missing={each} />
          </li>
        ))}
      </ul>
    </section>
  );
}
