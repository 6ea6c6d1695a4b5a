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
import { t } from '../../texts/account';
import styles from './account.module.css';
import { browserWords } from './browser-words';
import { ChangePassword } from './change-password';
import { LanguageCard } from './language-card';

export function AccountPage() {
  const me = useMe();
  useTitle(t.yourAccount);
  useLive([]);
  if (me === null) return null;
  return isOpen(me) ? <Nobody /> : <Somebody me={me} />;
}

/** The engine asks nobody who they are. */
function Nobody() {
  return (
    <div className={styles['page']}>
      <h1>{t.nobodyHasToSign}</h1>
      <section className={`card ${styles['text'] ?? ''}`}>
        <p>{t.whoeverReachesThisEngine}</p>
        <p className="mid">{t.fromTheFirstUser}</p>
        <div>
          <MayLink href={accessAddress('users')} needs="global:admin" className="btn">
            {t.makeTheFirstUser}
          </MayLink>
        </div>
      </section>
      <LanguageCard />
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
  user: t.aUser,
  key: t.aProgramWithAKey,
  token: t.theBearerOfAToken,
  network: t.aCallerFromATrusted,
  certificate: t.aCallerWithATrusted,
  nobody: t.nobody,
};

function Somebody({ me }: { readonly me: Me }) {
  const out = useMutation({ mutationFn: leave });
  const sessions = useQuery({ ...sessionsQuery(), enabled: me.kind === 'user' });
  const own = sessions.data?.find(({ id }) => id === me.session);
  return (
    <div className={styles['page']}>
      <div className={styles['head']}>
        <h1>{t.signedIn(<bdi>{me.name}</bdi>)}</h1>
        <span className="grow" />
        {me.session !== undefined && (
          <Button isBusy={out.isPending} onClick={() => out.mutate()}>
            {t.signOut}
          </Button>
        )}
      </div>
      {out.isError && <Failed problem={out.error} />}
      <section className={`card ${styles['text'] ?? ''}`}>
        <dl className={styles['facts']}>
          <Fact name={t.knownAs} value={KIND_WORDS[me.kind]} />
          <Fact name={t.tenant} value={me.tenant} />
          <Fact name={t.rolesHere} value={listWords(me.roles) || t.none} />
          <Fact name={t.groups} value={listWords(me.groups) || t.none} />
        </dl>
      </section>
      <LanguageCard />
      {me.kind === 'user' && sessions.isPending && <Skeleton lines={3} />}
      {sessions.isError && (
        <Failed what={t.yourSessions} problem={sessions.error} onRetry={sessions.refetch} />
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
    onSuccess: () => announce(t.theSessionIsOver),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const columns: readonly Column<Session>[] = [
    {
      key: 'browser',
      head: t.browser,
      isWide: true,
      cell: (row) => (
        <span title={row.agent}>
          <bdi>{browserWords(row.agent ?? '')}</bdi>
        </span>
      ),
    },
    { key: 'address', head: t.from, cell: (row) => <bdi>{row.address}</bdi> },
    { key: 'begun', head: t.begun, cell: (row) => row.created !== undefined && <Time at={row.created} /> },
    {
      key: 'used',
      head: t.lastUsed,
      cell: (row) => row.lastUsed !== undefined && <Time at={row.lastUsed} as="ago" />,
    },
    {
      key: 'act',
      head: '',
      cell: (row, tabIndex) =>
        row.id === mine ? (
          <span className="tag">{t.thisOne}</span>
        ) : (
          <Button
            isSmall
            tabIndex={tabIndex}
            isBusy={end.isPending && end.variables === row.id}
            onClick={() => end.mutate(row.id)}
          >
            {t.endIt}
          </Button>
        ),
    },
  ];
  return (
    <section className="card">
      <header>
        <h2>{t.yourSessions}</h2>
        <span className="count">{t.endWhatYouDo}</span>
      </header>
      {end.isError && <Failed problem={end.error} />}
      <Table
        label={t.yourSessions}
        rows={sessions}
        columns={columns}
        keyOf={(row) => row.id}
        nameOf={(row) => `${browserWords(row.agent ?? '')}${row.id === mine ? t.thisOne2 : ''}`}
      />
    </section>
  );
}
