/* pages/login/login-page.tsx — the way in: a name and a password, a provider, or the link for the first admin. It stands without the frame. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';

import { getMe, meQuery } from '../../api/me';
import { issuerStart, loginQuery, type LoginWays } from '../../api/session';
import { pageTenant, tenantBase } from '../../api/tenant';
import { Failed } from '../../ui/failed';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/skeleton';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/login';
import { backOf, codeOf, formOf } from './back';
import { FirstAdmin } from './first-admin';
import styles from './login.module.css';
import { PasswordForm } from './password-form';

/** Goes on where somebody was. The page forgets what it knew of somebody else: it is loaded anew for them. */
function useGoOn(): () => Promise<void> {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const search = useSearch();
  const back = backOf(search);
  const form = formOf(search);
  return async () => {
    if (form !== undefined) {
      location.replace(form);
      return;
    }
    const last = getMe();
    const me = await queries.query({ ...meQuery(), staleTime: 0 });
    if (last !== null && last.name !== me.name) {
      location.replace(tenantBase(pageTenant) + back);
      return;
    }
    go(back, { replace: true });
    void queries.invalidateQueries();
  };
}

export function LoginPage() {
  useTitle(t.signIn);
  const ways = useQuery(loginQuery());
  const [code] = useState(() => codeOf(location.hash));
  const goOn = useGoOn();
  return (
    <main className="alone">
      <section className={`card ${styles['card'] ?? ''}`}>
        <div className={styles['brand']} aria-hidden="true">
          <svg viewBox="0 0 20 20">
            <path d="M2 16.5h16M3 16.5l4-4.5v4.5l4-4.5v4.5l4-4.5v4.5M4.5 4.5 10.2 10.2" />
            <circle cx="4" cy="4" r="1.5" />
          </svg>
          Pawl
        </div>
        {code === '' ? (
          <>
            <h1>{t.signIn}</h1>
            {ways.isPending && <Skeleton lines={3} />}
            {ways.isError && <Failed what={t.theLogin} problem={ways.error} onRetry={ways.refetch} />}
            {ways.data !== undefined && <Ways ways={ways.data} onDone={goOn} />}
          </>
        ) : (
          <FirstAdmin code={code} onDone={goOn} />
        )}
      </section>
    </main>
  );
}

interface WaysProps {
  readonly ways: LoginWays;
  readonly onDone: () => Promise<void>;
}

function Ways({ ways, onDone }: WaysProps) {
  const search = useSearch();
  const back = formOf(search) ?? tenantBase('') + backOf(search);
  const { users, issuers, setup } = ways;
  return (
    <>
      {users && <PasswordForm onDone={onDone} />}
      {users && issuers.length > 0 && <p className={styles['or']}>{t.or}</p>}
      {issuers.map(({ name, label }) => (
        <a key={name} className={users ? 'btn' : 'btn primary'} href={issuerStart(name, back)}>
          <Icon name="go" />
          <span className="cut">{t.goOn(<bdi>{label ?? name}</bdi>)}</span>
        </a>
      ))}
      {!users && issuers.length === 0 && <NoWay isSetup={setup} />}
      {users && <p className="help">{t.forgottenThePassword(<code>pawl user password NAME</code>)}</p>}
    </>
  );
}

/** The advice where there are neither users nor providers. */
function NoWay({ isSetup }: { readonly isSetup: boolean }) {
  if (isSetup)
    return (
      <>
        <p>{t.nobodyIsHereYet}</p>
        <p className="mid">{t.theEngineWroteALink}</p>
      </>
    );
  return (
    <>
      <p>{t.onlyProgramsWithAKey}</p>
      <p className="mid">{t.whoeverRunsTheEngineMakes}</p>
      <ul className={styles['ways']}>
        <li>{t.onItsMachine(<code>pawl user add NAME --role admin</code>)}</li>
        <li>{t.startItWithAndOpen(<code>--users</code>)}</li>
        <li>{t.namePeopleOrAProvider(<code>--access-file</code>)}</li>
      </ul>
    </>
  );
}
