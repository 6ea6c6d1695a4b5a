/* pages/flows/flow-tables.tsx — the decision tables of a flow; each leads to its editor. */
import { useQuery } from '@tanstack/react-query';

import { pictureQuery } from '../../api/pictures';
import { tableAddress } from '../../ui/addresses';
import { MayLink } from '../../ui/may-link';
import { t } from '../../texts/flows';
import styles from './flows.module.css';

export function FlowTables({
  definitionId,
  version,
}: {
  readonly definitionId: string;
  readonly version: number;
}) {
  const picture = useQuery(pictureQuery(definitionId, version));
  const tables = picture.data?.nodes.filter(({ kind }) => kind === 'table') ?? [];
  if (tables.length === 0) return null;
  return (
    <section className="card">
      <header>
        <h2>{t.decisionTables}</h2>
      </header>
      <ul className={styles['padded']}>
        {tables.map(({ id, title }) => (
          <li key={id} className="cut">
            <MayLink
              className="link"
              needs="definitions:write"
              href={tableAddress(definitionId, id)}
              title={title}
            >
              <bdi>{title}</bdi>
            </MayLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
