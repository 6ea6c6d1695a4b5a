/* pages/connections/connections-page.tsx — mail servers, databases, brokers, keys: whether they are there, who uses them, a test of each.
 * No value is ever shown. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';

import { type Connection, connectionsQuery, OWN_MAIL } from '../../api/connections';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Failed } from '../../ui/failed';
import { Skeleton } from '../../ui/skeleton';
import { StatusMark } from '../../ui/status-mark';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/connections';
import { ConnectionPanel } from './connection-panel';
import styles from './connections.module.css';
import { SetDialog } from './set-dialog';
import { TestForm } from './test-form';
import { inOrder, kindWords, stateOf, placeWords } from './words';

const COLUMNS: readonly Column<Connection>[] = [
  {
    key: 'name',
    head: t.name2,
    cell: (row) => (
      <span className={`m cut ${styles['name'] ?? ''}`} title={row.name}>
        <bdi>{row.name}</bdi>
      </span>
    ),
  },
  {
    key: 'state',
    head: t.state,
    cell: (row) => <StatusMark {...stateOf(row)} isSmall />,
  },
  { key: 'kind', head: t.whatIt, isWide: true, cell: (row) => kindWords(row.kinds) },
  { key: 'uses', head: t.usedAt, isOptional: true, cell: (row) => placeWords(row.uses) },
  {
    key: 'changed',
    head: t.changed2,
    isOptional: true,
    cell: (row) => (row.updatedAt === undefined ? '' : <Time at={row.updatedAt} as="ago" />),
  },
];

/** The engine's own mail server is a setting of the engine, and no secret of this page. */
function OwnMail({ isSet }: { readonly isSet: boolean }) {
  return (
    <section className={`card ${styles['own'] ?? ''}`}>
      <h2>{t.theEnginesMailServer}</h2>
      <p className="mid">
        {t.itIsSetWhere(
          isSet ? t.remindersAndEMails : t.thereIsNoneReminders,
          <code>pawl serve --smtp vault:NAME</code>,
        )}
      </p>
      {isSet && <TestForm name={OWN_MAIL} kinds={['mail']} />}
    </section>
  );
}

export function ConnectionsPage() {
  useTitle(t.connections);
  useLive(['definitions']);
  const [params, setParams] = useSearchParams();
  const connections = useQuery(connectionsQuery());
  const [setting, setSetting] = useState<Connection | 'new' | null>(null);
  const items = connections.data?.items ?? [];
  const chosen = items.find(({ name }) => name === params.get('name'));
  const show = (name: string | null) => setParams(name === null ? {} : { name }, { replace: true });
  return (
    <div className={`bleed ${styles['page'] ?? ''}`} data-side={chosen !== undefined}>
      <div className={styles['left']}>
        <div className="row">
          <h1 className="grow">{t.connections}</h1>
          <Button look="primary" icon="plus" needs="secrets:write" onClick={() => setSetting('new')}>
            {t.newConnection}
          </Button>
        </div>
        {connections.isPending && <Skeleton lines={6} />}
        {connections.isError && (
          <Failed what={t.theConnections} problem={connections.error} onRetry={connections.refetch} />
        )}
        {connections.data !== undefined && (
          <>
            {items.length === 0 ? (
              <Empty title={t.noConnectionYet}>{t.aMailServerADatabase}</Empty>
            ) : (
              <section className="card">
                <div className={styles['scroll']}>
                  <Table
                    label={t.connectionsAndSecrets}
                    rows={inOrder(items)}
                    columns={COLUMNS}
                    keyOf={(row) => row.name}
                    nameOf={(row) => `${row.name}, ${stateOf(row).word}`}
                    onOpen={(row) => show(row.name)}
                  />
                </div>
              </section>
            )}
            {connections.data.isCut && <p className="dim s">{t.thereAreMoreConnections}</p>}
            <OwnMail isSet={connections.data.hasMailServer} />
          </>
        )}
      </div>
      {chosen !== undefined && (
        <ConnectionPanel item={chosen} onSet={() => setSetting(chosen)} onClose={() => show(null)} />
      )}
      {setting !== null && (
        <SetDialog
          name={setting === 'new' ? null : setting.name}
          kind={setting === 'new' ? 'mail' : (setting.kinds[0] ?? 'secret')}
          onClose={() => setSetting(null)}
          onSet={(name) => {
            setSetting(null);
            show(name);
          }}
        />
      )}
    </div>
  );
}
