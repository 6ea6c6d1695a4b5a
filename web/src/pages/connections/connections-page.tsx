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
import { ConnectionPanel } from './connection-panel';
import styles from './connections.module.css';
import { SetDialog } from './set-dialog';
import { TestForm } from './test-form';
import { inOrder, kindWords, stateOf, placeWords } from './words';

const COLUMNS: readonly Column<Connection>[] = [
  {
    key: 'name',
    head: 'Name',
    cell: (row) => (
      <span className={`m cut ${styles['name'] ?? ''}`} title={row.name}>
        <bdi>{row.name}</bdi>
      </span>
    ),
  },
  {
    key: 'state',
    head: 'State',
    cell: (row) => <StatusMark {...stateOf(row)} isSmall />,
  },
  { key: 'kind', head: 'What it is', isWide: true, cell: (row) => kindWords(row.kinds) },
  { key: 'uses', head: 'Used at', isOptional: true, cell: (row) => placeWords(row.uses) },
  {
    key: 'changed',
    head: 'Changed',
    isOptional: true,
    cell: (row) => (row.updatedAt === undefined ? '' : <Time at={row.updatedAt} as="ago" />),
  },
];

/** The engine's own mail server is a setting of the engine, and no secret of this page. */
function OwnMail({ isSet }: { readonly isSet: boolean }) {
  return (
    <section className={`card ${styles['own'] ?? ''}`}>
      <h2>The engine&rsquo;s mail server</h2>
      <p className="mid">
        {isSet
          ? 'Reminders, and e-mails of steps that name no server, leave through it.'
          : 'There is none: reminders are not sent, and e-mails need a server of their own.'}{' '}
        It is set where the engine is started: <code>pawl serve --smtp vault:NAME</code>, with the name of a
        mail server of this page.
      </p>
      {isSet && <TestForm name={OWN_MAIL} kinds={['mail']} />}
    </section>
  );
}

export function ConnectionsPage() {
  useTitle('Connections');
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
          <h1 className="grow">Connections</h1>
          <Button look="primary" icon="plus" needs="secrets:write" onClick={() => setSetting('new')}>
            New connection…
          </Button>
        </div>
        {connections.isPending && <Skeleton lines={6} />}
        {connections.isError && (
          <Failed what="The connections" problem={connections.error} onRetry={connections.refetch} />
        )}
        {connections.data !== undefined && (
          <>
            {items.length === 0 ? (
              <Empty title="No connection yet">
                A mail server, a database, a broker or a key that flows use shows here, with whether it works.
              </Empty>
            ) : (
              <section className="card">
                <div className={styles['scroll']}>
                  <Table
                    label="Connections and secrets"
                    rows={inOrder(items)}
                    columns={COLUMNS}
                    keyOf={(row) => row.name}
                    nameOf={(row) => `${row.name}, ${stateOf(row).word}`}
                    onOpen={(row) => show(row.name)}
                  />
                </div>
              </section>
            )}
            {connections.data.isCut && (
              <p className="dim s">There are more connections or flows than are looked at here.</p>
            )}
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
