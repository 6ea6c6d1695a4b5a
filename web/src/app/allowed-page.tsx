/* app/allowed-page.tsx — a page that somebody reached by its address and may not see. */
import { Link, Redirect } from 'wouter';

import { accountAddress, homeAddress } from '../ui/addresses';
import { type May, useMay, useMe } from '../ui/may';
import { whoCan } from '../ui/permissions';
import { useTitle } from '../ui/use-title';
import { t } from '../texts/app';
import { RoutePage } from './route-page';
import { navFor, type Route } from './routes';

function NotForYou({ says }: { readonly says: string }) {
  useTitle(t.notForYou);
  const me = useMe();
  return (
    <>
      <h1>{t.thisPage}</h1>
      <p className="mid">{t.youAreSigned(says, <bdi>{me?.name}</bdi>)}</p>
      <Link href={homeAddress} className="link">
        {t.goHome}
      </Link>
    </>
  );
}

/** Where somebody begins: with their tasks, if they have any to do. */
function firstFor(may: May): string {
  const offered = navFor(may);
  return (offered.find(({ group }) => group === '') ?? offered[0])?.href ?? accountAddress;
}

/** The page, for those who may see it. Home is for those who look after the engine; all others begin with their first page. */
export function AllowedPage({ route }: { readonly route: Route }) {
  const may = useMay();
  if (route.needs === undefined || may(route.needs)) return <RoutePage code={route.code} />;
  if (route.pattern === homeAddress) return <Redirect to={firstFor(may)} replace />;
  return <NotForYou says={whoCan(route.needs)} />;
}
