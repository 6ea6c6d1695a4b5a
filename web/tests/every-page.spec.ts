/* tests/every-page.spec.ts — every page of app/routes.ts in a world of hostile names: light and dark, wide, narrow, as on a phone, and
 * at 200 %. A name stays text, nothing is wider than the window, what is cut says itself in full when it is pointed at, axe finds
 * nothing. */
import type { Page } from '@playwright/test';

import { LOGIN, ROUTES } from '../src/app/routes';
import * as to from '../src/ui/addresses';
import { expectAccessible } from './axe';
import { expect, test } from './engine';
import { fillWorld, HOSTILE, LONG, MARKUP, type World } from './hostile-world';

// Eight looks at a page with axe: 40 s alone, and four minutes beside thirty other programs.
test.setTimeout(480_000);

let world: World;
test.beforeAll(async ({ engine }) => {
  world = await fillWorld(engine);
});

interface Visit {
  readonly pattern: string;
  readonly name: string;
  readonly address: () => string;
}

const VISITS: readonly Visit[] = [
  { pattern: '/', name: 'home', address: () => to.homeAddress },
  { pattern: '/flows', name: 'flows', address: () => to.flowsAddress },
  { pattern: '/flows/:id', name: 'flow-markup', address: () => to.flowAddress(MARKUP) },
  { pattern: '/flows/:id', name: 'flow-long', address: () => to.flowAddress(LONG) },
  { pattern: '/flows/:id', name: 'flow-path', address: () => to.flowAddress('../..%2f') },
  { pattern: '/flows/:id', name: 'flow-steps', address: () => to.flowAddress('steps-1') },
  { pattern: '/flows/:id/compare', name: 'compare', address: () => to.compareAddress(MARKUP, 1, 2) },
  {
    pattern: '/flows/:id/compare',
    name: 'compare-text',
    address: () => `${to.compareAddress(MARKUP, 1, 2)}&view=text`,
  },
  {
    pattern: '/flows/:id/compare',
    name: 'compare-migrate',
    address: () => `${to.compareAddress(MARKUP, 1, 2)}&do=migrate`,
  },
  { pattern: '/docs', name: 'help', address: () => to.docsAddress },
  {
    pattern: '/docs/api',
    name: 'api',
    address: () => `${to.apiDocsAddress}?find=migrations&operation=beginMigration`,
  },
  { pattern: '/builder', name: 'templates', address: () => to.builderAddress() },
  { pattern: '/builder/:id', name: 'builder', address: () => to.builderAddress(LONG) },
  { pattern: '/builder/:id', name: 'builder-draft', address: () => to.builderAddress(`draft ${MARKUP}`) },
  { pattern: '/builder/:id', name: 'builder-steps', address: () => to.builderAddress('steps-0') },
  { pattern: '/runs', name: 'runs', address: () => to.runsAddress() },
  { pattern: '/runs', name: 'runs-preview', address: () => to.runsAddress('status=failed&do=retry') },
  { pattern: '/runs', name: 'runs-cancel', address: () => to.runsAddress('status=failed&do=cancel') },
  { pattern: '/runs', name: 'runs-held', address: () => to.runsAddress('group=held') },
  { pattern: '/runs/:id', name: 'run-failed', address: () => to.runAddress(world.failed) },
  { pattern: '/runs/:id', name: 'run-waits', address: () => to.runAddress(world.waits) },
  { pattern: '/inbox/:task?', name: 'inbox', address: () => to.inboxAddress() },
  { pattern: '/inbox/:task?', name: 'inbox-task', address: () => to.inboxAddress(world.task) },
  { pattern: '/entities', name: 'entities', address: () => to.entitiesAddress },
  { pattern: '/entities/id/:id', name: 'entity', address: () => to.entityAddress(world.entity) },
  { pattern: '/entities/:name/:version', name: 'model', address: () => to.modelAddress(MARKUP, 1) },
  { pattern: '/entities/:name/:version', name: 'model-long', address: () => to.modelAddress(LONG, 1) },
  { pattern: '/triggers', name: 'triggers', address: () => to.triggersAddress },
  { pattern: '/triggers', name: 'trigger', address: () => to.triggerAddress(LONG, 'tick') },
  { pattern: '/triggers', name: 'arrivals', address: () => `${to.triggersAddress}?show=arrivals` },
  { pattern: '/triggers', name: 'unmatched', address: () => `${to.triggersAddress}?show=unmatched` },
  { pattern: '/tables', name: 'tables', address: () => to.tablesAddress },
  { pattern: '/tables/:id/:step', name: 'table', address: () => to.tableAddress('steps-1', 'tier') },
  { pattern: '/workers', name: 'workers', address: () => to.workersAddress },
  {
    pattern: '/workers',
    name: 'worker',
    address: () => `${to.workersAddress}?${new URLSearchParams({ job: LONG }).toString()}`,
  },
  { pattern: '/connections', name: 'connections', address: () => to.connectionsAddress() },
  { pattern: '/connections', name: 'connection', address: () => to.connectionsAddress('mail-of-nobody') },
  { pattern: '/access/:part?', name: 'access-users', address: () => to.accessAddress('users') },
  { pattern: '/access/:part?', name: 'access-keys', address: () => to.accessAddress('keys') },
  { pattern: '/access/:part?', name: 'access-grants', address: () => to.accessAddress('grants') },
  { pattern: '/access/:part?', name: 'access-issuers', address: () => to.accessAddress('issuers') },
  { pattern: '/access/:part?', name: 'access-tenants', address: () => to.accessAddress('tenants') },
  { pattern: '/access/:part?', name: 'access-refusals', address: () => to.accessAddress('refusals') },
  { pattern: '/access/:part?', name: 'access-explain', address: () => to.accessAddress('explain') },
  { pattern: '/audit', name: 'audit', address: () => to.auditAddress() },
  { pattern: '/account', name: 'account', address: () => to.accountAddress },
  { pattern: '/login', name: 'login', address: () => to.loginAddress(`/runs?find=${LONG}`) },
];

test('every route is visited', () => {
  expect([...new Set(VISITS.map(({ pattern }) => pattern))].sort()).toEqual(
    [...ROUTES, LOGIN].map(({ pattern }) => pattern).sort(),
  );
});

/** Texts that are cut and do not say themselves in full when they are pointed at. */
const cutTexts = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const { overflowX, clipPath } = getComputedStyle(element);
      const isHidden = overflowX === 'hidden' || overflowX === 'clip';
      if (!isHidden || clipPath !== 'none' || element.matches('input, select, .react-flow')) continue;
      if (element.scrollWidth <= element.clientWidth + 1) continue;
      element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      if (element.closest('[title]') === null)
        found.push(`${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`);
    }
    return found;
  });

/** Parts of the page that scroll sideways, and things that stick out of the card or panel they are in. */
const stickingOut = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const say = (element: Element) =>
      found.push(`${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`);
    for (const place of document.querySelectorAll('main, main > .bleed'))
      if (place.scrollWidth > place.clientWidth + 1) say(place);
    for (const frame of document.querySelectorAll('main .card, main aside, main header')) {
      const { right } = frame.getBoundingClientRect();
      for (const element of frame.querySelectorAll<HTMLElement>(
        'a, button, span, p, td, code, b, small, input, select, textarea',
      )) {
        let above = element.parentElement;
        while (above !== null && above !== frame && getComputedStyle(above).overflowX === 'visible')
          above = above.parentElement;
        if (
          above === frame &&
          getComputedStyle(frame).overflowX === 'visible' &&
          element.getBoundingClientRect().right > right + 1
        )
          say(element);
      }
    }
    return found;
  });

/** Until no part loads and two looks in a row see the same. */
async function settle(page: Page): Promise<void> {
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
  let before = '';
  await expect
    .poll(async () => {
      const now = (await page.locator('main').innerHTML()).replace(/\d+/g, '0'); // Waits count their seconds.
      const isSame = now === before;
      before = now;
      return isSame;
    })
    .toBe(true);
}

/** The page fits its window: it does not scroll sideways, and nothing is cut off or sticks out. */
async function expectFits(page: Page, name: string, isNarrowCanvas = false): Promise<void> {
  await settle(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  const seen = await page.evaluate(() => ({
    over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    made: document.querySelectorAll('img[src="x"], main b > co, [onerror]').length,
  }));
  expect.soft(seen, name).toEqual({ over: 0, made: 0 });
  // The canvas wants a wider window; it stays inside of the one that it has.
  if (isNarrowCanvas) return;
  expect.soft(await cutTexts(page), name).toEqual([]);
  expect.soft(await stickingOut(page), name).toEqual([]);
}

/** A window of 1280 by 800 whose page is shown at 200 % is as wide as one of 640. */
const SIZES = [
  { name: '1440', width: 1440, height: 900 },
  { name: '1024', width: 1024, height: 768 },
  { name: '200-percent', width: 640, height: 400 },
  { name: '390', width: 390, height: 844 },
] as const;

for (const { pattern, name, address } of VISITS)
  test(`${name} takes every name as text`, async ({ page }) => {
    page.on('dialog', () => {
      throw new Error('a name became markup');
    });
    await page.addInitScript(
      (groups) => localStorage.setItem('pawl.person', JSON.stringify({ name: 'ada', groups })),
      HOSTILE,
    );
    await page.goto(`/ui${address()}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    for (const { name: size, ...viewport } of SIZES) {
      await page.setViewportSize(viewport);
      const isNarrowCanvas = pattern === '/builder/:id' && viewport.width < 1024;
      await expectFits(page, `every-${name}-${size}`, isNarrowCanvas);
      await expectAccessible(page, `every-${name}-${size}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectFits(page, `every-${name}-1280`);
  });
