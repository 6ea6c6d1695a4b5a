/* pages/account/account-page.tsx — who is signed in here: roles and groups, own sessions, the password, and the way out. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { isOpen, type Me } from '../../api/me';
import { endSession, type Session, sessionsQuery, signOut } from '../../api/session';
import { tenantBase } from '../../api/tenant';
import { accessAddress, loginAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { MayLink } from '../../ui/may-link';
import { useMe } from '../../ui/may';
import { Skeleton } from '../../ui/skeleton';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useLive } from '../../ui/use-live';
import { useTitle } from '../../ui/use-title';
import { listWords } from '../../ui/words';
import styles from './account.module.css';
import { browserWords } from './browser-words';
import { ChangePassword } from './change-password';

export function AccountPage() {
  const me = useMe();
  useTitle('Your account');
  useLive([]);
  if (me === null) return null;
  return isOpen(me) ? <Nobody /> : <Somebody me={me} />;
}

/** The engine asks nobody who they are. */
function Nobody() {
  return (
    <div className={styles['page']}>
      <h1>Nobody has to sign in here</h1>
      <section className={`card ${styles['text'] ?? ''}`}>
        <p>
          Whoever reaches this engine may do everything: it listens on this machine alone, and has no users,
          no keys and no provider. The names that people say are believed.
        </p>
        <p className="mid">From the first user on, everybody has to sign in.</p>
        <div>
          <MayLink href={accessAddress('users')} needs="global:admin" className="btn">
            Make the first user
          </MayLink>
        </div>
      </section>
    </div>
  );
}

/** Leaves nothing behind: what was typed, what was read, who it was. */
async function leave(): Promise<void> {
  await signOut();
  sessionStorage.clear();
  location.replace(tenantBase('') + loginAddress());
}

const KIND_WORDS: { readonly [K in Me['kind']]: string } = {
  user: 'a user',
  key: 'a program with a key',
  token: 'the bearer of a token',
  network: 'a caller from a trusted network',
  certificate: 'a caller with a trusted certificate',
  nobody: 'nobody',
};

function Somebody({ me }: { readonly me: Me }) {
  const out = useMutation({ mutationFn: leave });
  const sessions = useQuery({ ...sessionsQuery(), enabled: me.kind === 'user' });
  const own = sessions.data?.find(({ id }) => id === me.session);
  return (
    <div className={styles['page']}>
      <div className={styles['head']}>
        <h1>
          Signed in as <bdi>{me.name}</bdi>
        </h1>
        <span className="grow" />
        {me.session !== undefined && (
          <Button isBusy={out.isPending} onClick={() => out.mutate()}>
            Sign out
          </Button>
        )}
      </div>
      {out.isError && <Failed problem={out.error} />}
      <section className={`card ${styles['text'] ?? ''}`}>
        <dl className={styles['facts']}>
          <Fact name="Known as" value={KIND_WORDS[me.kind]} />
          <Fact name="Tenant" value={me.tenant} />
          <Fact name="Roles here" value={listWords(me.roles) || 'none'} />
          <Fact name="Groups" value={listWords(me.groups) || 'none'} />
        </dl>
      </section>
      {me.kind === 'user' && sessions.isPending && <Skeleton lines={3} />}
      {sessions.isError && (
        <Failed what="Your sessions" problem={sessions.error} onRetry={sessions.refetch} />
      )}
      {sessions.data !== undefined && <Sessions sessions={sessions.data} mine={me.session} />}
      {own !== undefined && own.issuer === undefined && <ChangePassword name={me.name} />}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

interface SessionsProps {
  readonly sessions: readonly Session[];
  readonly mine: string | undefined;
}

function Sessions({ sessions, mine }: SessionsProps) {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: () => announce('The session is over.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const columns: readonly Column<Session>[] = [
    {
      key: 'browser',
      head: 'Browser',
      isWide: true,
      cell: (row) => (
        <span title={row.agent}>
          <bdi>{browserWords(row.agent ?? '')}</bdi>
        </span>
      ),
    },
    { key: 'address', head: 'From', cell: (row) => <bdi>{row.address}</bdi> },
    { key: 'begun', head: 'Begun', cell: (row) => row.created !== undefined && <Time at={row.created} /> },
    {
      key: 'used',
      head: 'Last used',
      cell: (row) => row.lastUsed !== undefined && <Time at={row.lastUsed} as="ago" />,
    },
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) =>
        row.id === mine ? (
          <span className="tag">This one</span>
        ) : (
          <Button
            isSmall
            tabIndex={tabIndex}
            isBusy={end.isPending && end.variables === row.id}
            onClick={() => end.mutate(row.id)}
          >
            End it
          </Button>
        ),
    },
  ];
  return (
    <section className="card">
      <header>
        <h2>Your sessions</h2>
        <span className="count">end what you do not know</span>
      </header>
      {end.isError && <Failed problem={end.error} />}
      <Table
        label="Your sessions"
        rows={sessions}
        columns={columns}
        keyOf={(row) => row.id}
        nameOf={(row) => `${browserWords(row.agent ?? '')}${row.id === mine ? ', this one' : ''}`}
      />
    </section>
  );
}
