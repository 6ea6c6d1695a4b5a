/* app/gate.tsx — before the first page: who is it? Somebody who is not known goes to the login page and comes back to where they were. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

import { onDoubt } from '../api/client';
import { type Me, meQuery } from '../api/me';
import { asProblem } from '../api/problem';
import { pageTenant, tenantBase } from '../api/tenant';
import { loginAddress } from '../ui/addresses';
import { Failed } from '../ui/failed';
import { t } from '../texts/app';
import { LOGIN } from './routes';
import { RoutePage } from './route-page';

/** The address below the application, with its query. */
function hereNow(): string {
  const base = tenantBase(pageTenant);
  const { pathname, search } = location;
  return (pathname.startsWith(base) ? pathname.slice(base.length) : '') + search;
}

/** Leads to the login page and back, and asks again what one may do when the engine refuses something. */
function useDoubts(): void {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const leave = useRef(go);
  useEffect(() => {
    leave.current = go;
  }, [go]);
  useEffect(
    () =>
      onDoubt((doubt) => {
        if (doubt === 'refused') void queries.query(meQuery()).catch(() => undefined);
        else if (!hereNow().startsWith(LOGIN.pattern))
          leave.current(loginAddress(hereNow()), { replace: true });
      }),
    [queries],
  );
}

const identityOf = ({ kind, name, tenant }: Me) => JSON.stringify([kind, name, tenant]);

/** Somebody else has signed in in another tab: nothing that this page knows is for them. */
function useSameOne(me: Me | undefined): void {
  const first = useRef<string | null>(null);
  useEffect(() => {
    if (me === undefined) return;
    if (first.current !== null && first.current !== identityOf(me)) location.reload();
    first.current = identityOf(me);
  }, [me]);
}

function NoWayIn({ problem, onRetry }: { readonly problem: unknown; readonly onRetry: () => unknown }) {
  const { status } = asProblem(problem);
  if (status === 401) return null; // On the way to the login page.
  return (
    <main className="alone">
      <div className="card">
        {status === 404 && pageTenant !== '' ? (
          <div className="dialog-body">
            <h1>{t.thereIsNoSuchTenant}</h1>
            <p className="mid">{t.youHaveNoRole(<bdi>{pageTenant}</bdi>)}</p>
            <a className="link" href={`${tenantBase('')}/`}>
              {t.goToYourOwn}
            </a>
          </div>
        ) : (
          <Failed what={t.theApplication} problem={problem} onRetry={onRetry} />
        )}
      </div>
    </main>
  );
}

export function Gate({ children }: { readonly children: (me: Me) => ReactNode }) {
  const [here] = useLocation();
  const isLogin = here === LOGIN.pattern;
  const me = useQuery({ ...meQuery(), enabled: !isLogin });
  useDoubts();
  useSameOne(isLogin ? undefined : me.data);
  if (isLogin) return <RoutePage code={LOGIN.code} />;
  if (me.data !== undefined) return children(me.data);
  return me.isError ? <NoWayIn problem={me.error} onRetry={me.refetch} /> : null;
}
