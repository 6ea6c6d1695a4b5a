/* app/shell.tsx — navigation, top bar, the page of the address, and what stands over every page: who is signed in, the engine away. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';

import type { LiveState } from '../api/live';
import type { Me } from '../api/me';
import { type Overview, overviewQuery } from '../api/operate';
import { homeAddress, inboxAddress, runsAddress } from '../ui/addresses';
import { announce } from '../ui/announce';
import { Button } from '../ui/button';
import { CrumbsContext } from '../ui/crumbs';
import { Icon } from '../ui/icon';
import { useKeys } from '../ui/keys';
import { useMay } from '../ui/may';
import { formatOffset, formatRough, ownZone } from '../ui/times';
import { LiveContext } from '../ui/use-live';
import { useNow } from '../ui/use-now';
import { formatCount } from '../ui/words';
import { t } from '../texts/app';
import { t as ui } from '../texts/ui';
import { AccountLink } from './account-link';
import { AllowedPage } from './allowed-page';
import { Boundary } from './boundary';
import { Find, FIND_ID } from './find';
import { Gate } from './gate';
import { KeyHelp } from './key-help';
import { navFor, type NavItem, ROUTES } from './routes';
import { TenantSwitch } from './tenant-switch';
import { switchTheme, type Theme } from './theme';

const LIVE_WORDS: { readonly [K in LiveState]: string } = {
  connecting: t.connecting,
  live: t.live,
  away: t.engineAway,
};

const THEME_WORDS: { readonly [K in Theme]: string } = {
  system: t.lightOrDark,
  light: t.light,
  dark: t.dark,
};

/** Numbers beside the words of the navigation: what waits there for somebody. */
function navCount(
  href: string,
  overview: Overview | undefined,
): { text: string; says: string; isBad: boolean } | null {
  if (overview === undefined) return null;
  const { counts, tasks } = overview;
  const open = counts.failed + counts.person + counts.waiting + counts.running;
  if (href === homeAddress && counts.failed > 0)
    return { text: formatCount(counts.failed), says: t.failed, isBad: true };
  if (href === inboxAddress() && tasks.open > 0)
    return { text: formatCount(tasks.open), says: t.openTasks, isBad: false };
  if (href === runsAddress() && open > 0)
    return { text: formatCount(open), says: t.notOverOrFailed, isBad: false };
  return null;
}

/** The engine in a word, and the zone of all times, at the foot of the navigation. */
function NavFoot({ overview }: { readonly overview: Overview | undefined }) {
  const now = useNow(60_000);
  const zone = <div>{t.timesAreIn(ownZone(), formatOffset(now))}</div>;
  if (overview === undefined) return <div className="foot">{zone}</div>;
  const worst = overview.health.some(({ state }) => state === 'bad')
    ? t.engineIsUnwell
    : overview.health.some(({ state }) => state === 'look')
      ? t.engineHaveALook
      : t.engineIsWell;
  return (
    <div className="foot">
      <div className="row">
        <Icon name="pulse" small />
        {worst}
      </div>
      <div>
        {t.versionUp(
          overview.engine.version,
          formatRough(now - new Date(overview.engine.startedAt).getTime()),
        )}
      </div>
      {zone}
    </div>
  );
}

interface NavGroupProps {
  readonly group: NavItem['group'];
  readonly here: string;
  readonly overview: Overview | undefined;
}

function NavGroup({ group, here, overview }: NavGroupProps) {
  const items = navFor(useMay()).filter((item) => item.group === group);
  return (
    <>
      {group !== '' && items.length > 0 && <h3>{t.groups[group]}</h3>}
      {items.map((item) => {
        const count = navCount(item.href, overview);
        const isHere = item.href === '/' ? here === '/' : here.startsWith(item.href);
        return (
          <Link
            key={item.href}
            href={item.href}
            title={item.word}
            {...(isHere ? { 'aria-current': 'page' as const } : {})}
          >
            <Icon name={item.icon} />
            <span>{item.word}</span>
            {count !== null && (
              <b className={count.isBad ? 'n bad' : 'n'}>
                {count.text} <span className="sr">{count.says}</span>
              </b>
            )}
          </Link>
        );
      })}
    </>
  );
}

export function Shell() {
  return <Gate>{(me) => <Frame me={me} />}</Gate>;
}

function Frame({ me }: { readonly me: Me }) {
  const [here] = useLocation();
  const [state, setState] = useState<LiveState | null>('connecting');
  const live = useMemo(() => ({ state, report: setState }), [state]);
  const may = useMay();
  const overview = useQuery({ ...overviewQuery(), enabled: may('metrics:read') });
  const [crumbs, setCrumbs] = useState<HTMLElement | null>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const keys = useMemo(
    () => [
      {
        key: '/',
        says: t.findAnythingCtrlK,
        run: () => document.getElementById(FIND_ID)?.focus(),
      },
      { key: '?', says: t.helpForThisPage, run: () => setHelpOpen(true) },
      { key: 'Tab', says: t.nextPartArrowsMoveInside },
    ],
    [],
  );
  useKeys(ui.everywhere, keys);
  return (
    <LiveContext value={live}>
      <CrumbsContext value={crumbs}>
        <a className="skip" href="#page">
          {t.skipToThePage}
        </a>
        {/* The builder needs the width: the navigation is a rail there. */}
        <div className="shell" data-rail={here.startsWith('/builder/')}>
          <nav className="nav" aria-label={t.pages}>
            <Link href="/" className="brand" aria-label="Pawl">
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d="M2 16.5h16M3 16.5l4-4.5v4.5l4-4.5v4.5l4-4.5v4.5M4.5 4.5 10.2 10.2" />
                <circle cx="4" cy="4" r="1.5" />
              </svg>
              <span>Pawl</span>
            </Link>
            <NavGroup group="" here={here} overview={overview.data} />
            <NavGroup group="work" here={here} overview={overview.data} />
            <NavGroup group="setUp" here={here} overview={overview.data} />
            <NavFoot overview={overview.data} />
          </nav>
          <div className="main">
            <header className="bar">
              <div className="crumbs-place" ref={setCrumbs} />
              <Find />
              <span className="grow" />
              {state !== null && (
                <span className="live" data-state={state} title={LIVE_WORDS[state]}>
                  {LIVE_WORDS[state]}
                </span>
              )}
              <TenantSwitch me={me} />
              <Button look="quiet" icon="help" label={t.helpAndKeys} onClick={() => setHelpOpen(true)} />
              <Button
                look="quiet"
                icon="theme"
                label={t.switchBetweenLightAndDark}
                onClick={() => announce(THEME_WORDS[switchTheme()])}
              />
              <AccountLink me={me} />
            </header>
            {state === 'away' && (
              <p className="away" role="alert">
                {t.theEngineDoesNotAnswer}
              </p>
            )}
            <main className="page" id="page" tabIndex={-1}>
              <Boundary what={t.thisPage2} resetKey={here}>
                <Switch>
                  {ROUTES.map((route) => (
                    <Route key={route.pattern} path={route.pattern}>
                      <AllowedPage route={route} />
                    </Route>
                  ))}
                  <Route>
                    <h1>{t.thereIsNoSuchPage}</h1>
                    <Link href="/" className="link">
                      {t.goHome}
                    </Link>
                  </Route>
                </Switch>
              </Boundary>
            </main>
          </div>
        </div>
        {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
      </CrumbsContext>
    </LiveContext>
  );
}
