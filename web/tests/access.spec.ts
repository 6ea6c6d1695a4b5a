/* tests/access.spec.ts — from an engine that asks nobody to one where each may do what they may: the first user, the way in and back,
 * keys that are shown once, pages for admins, and people to whom nothing is offered that would be refused. */
import { type Browser, type Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { type Engine, expect, openEngine, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

test.describe.configure({ mode: 'serial' });

const PASSWORD = 'a horse of a different colour';
const MARKUP = '<img src=x onerror=alert(1)>';

let engine: Engine & { close: () => Promise<void> };

test.beforeAll(async () => {
  engine = await openEngine([]);
  await engine.send('POST', '/v1/definitions', INVOICE);
  await startInvoice(engine, 'INV-1', 5000);
});

test.afterAll(() => engine.close());

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A page of somebody who has signed in, in a browser of their own. Errors of the console are kept. */
async function pageOf(browser: Browser, name: string): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const errors: string[] = [];
  await page.goto(`${engine.url}/ui/login`);
  await signIn(page, name);
  await expect(page.getByRole('link', { name: `Signed in as ${name}` })).toBeVisible();
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${page.url()}: ${message.text()}`);
  });
  return { page, errors };
}

test.describe('the way in', () => {
  test.use({ allowed: /401|Failed to load resource/ });

  test('the first user is made, then everybody has to sign in', { tag: '@quick' }, async ({ page }) => {
    await page.goto(`${engine.url}/ui/account`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nobody has to sign in here');
    await page.getByRole('link', { name: 'Make the first user' }).click();
    await page.getByRole('button', { name: 'New user…' }).click();
    const dialog = page.getByRole('dialog', { name: 'A new user' });
    await dialog.getByLabel('Name', { exact: true }).fill('ada');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await expect(dialog.getByRole('checkbox', { name: /^admin/ })).toBeChecked();
    await dialog.getByRole('button', { name: 'Make the user' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await page.goto(`${engine.url}/ui/runs?status=person`);
    await expect(page).toHaveURL(/\/ui\/login\?back=/);
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill('wrong wrong wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert')).toContainText('the name or the password is wrong');
    await expect(page.getByLabel('Password')).toBeFocused();
    await expectAccessible(page, 'login');
    await signIn(page, 'ada');
    await expect(page).toHaveURL(/\/ui\/runs\?status=person$/);
    await expect(page.getByText('INV-1')).toBeVisible();
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
    );
    expect(kept).not.toContain(PASSWORD);
    expect(kept).not.toMatch(/pawl=|token/);
  });
});

test('an admin looks after users, keys, grants, tenants and the audit', async ({ browser }) => {
  const { page, errors } = await pageOf(browser, 'ada');
  await page.goto(`${engine.url}/ui/access/users`);
  for (const [name, role] of [
    ['vera', 'viewer'],
    ['paul', 'person'],
  ] as const) {
    await page.getByRole('button', { name: 'New user…' }).click();
    const dialog = page.getByRole('dialog', { name: 'A new user' });
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByLabel('Called').fill(MARKUP);
    await dialog.getByRole('checkbox', { name: new RegExp(`^${role}`) }).check();
    await dialog.getByLabel('Groups').fill('finance, "quoted" group');
    await dialog.getByRole('button', { name: 'Make the user' }).click();
    await expect(page.getByRole('row', { name })).toContainText(role);
  }
  await expectAccessible(page, 'access-users');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('button', { name: 'New key…' }).click();
  const dialog = page.getByRole('dialog', { name: /^A new key/ });
  await dialog.getByLabel('Name', { exact: true }).fill(MARKUP);
  await dialog.getByRole('checkbox', { name: /^worker/ }).check();
  await dialog.getByLabel('Only for').fill('jobs:work:reserve-*');
  await expectAccessible(page, 'access-key');
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  const shown = page.getByRole('dialog', { name: /^The key/ });
  const key = (await shown.locator('[data-secret]').textContent()) ?? '';
  expect(key).toMatch(/^pawl_/);
  expect((await fetch(`${engine.url}/api/me`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(
    200,
  );
  await shown.getByRole('button', { name: 'I have it' }).click();
  await expect(page.getByRole('grid', { name: 'The keys' })).toContainText('jobs:work:reserve-*');
  expect(await page.content()).not.toContain(key);
  await expectAccessible(page, 'access-keys');
  for (const part of ['grants', 'issuers', 'tenants', 'refusals']) {
    await page.goto(`${engine.url}/ui/access/${part}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Access');
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
    await expectAccessible(page, `access-${part}`);
  }
  await page.goto(`${engine.url}/ui/access/explain?name=user%3Avera`);
  await expect(page.getByRole('row', { name: 'instances:operate: no' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'instances:read: yes' })).toBeVisible();
  await page.getByLabel('For', { exact: true }).fill('/v1/instances/1/cancel');
  await page.getByLabel('Asks', { exact: true }).selectOption('POST');
  await page.getByRole('button', { name: 'Explain' }).click();
  await expect(page.getByRole('region', { name: 'The reasons' })).toContainText('instances:operate');
  await expectAccessible(page, 'access-explain');
  await page.getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('grid', { name: 'Audit' })).toContainText('Key: create');
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText(/^The chain is whole/).first()).toBeVisible();
  await page.getByLabel('Did', { exact: true }).fill('user.*');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/action=user/);
  await expect(page.getByRole('grid', { name: 'Audit' })).not.toContainText('Key: create');
  await expectAccessible(page, 'audit');
  expect(errors).toEqual([]);
  await page.context().close();
});

test('another tenant is another page, which knows nothing of this one', async ({ browser }) => {
  const { page, errors } = await pageOf(browser, 'ada');
  await page.goto(`${engine.url}/ui/access/tenants`);
  await page.getByRole('button', { name: 'New tenant…' }).click();
  const dialog = page.getByRole('dialog', { name: 'A new tenant' });
  await dialog.getByLabel('Name', { exact: true }).fill('acme');
  await dialog.getByLabel('Called').fill(MARKUP);
  await dialog.getByLabel('Keys').fill('5');
  await dialog.getByRole('button', { name: 'Make the tenant' }).click();
  await expect(page.getByRole('row', { name: 'acme' })).toContainText('Keys: 5');
  await page.reload();
  await page.getByLabel('Tenant', { exact: true }).selectOption('acme');
  await expect(page).toHaveURL(/\/t\/acme\/ui\/$/);
  await page.getByRole('link', { name: 'Runs' }).click();
  await expect(page.getByText('No run fits')).toBeVisible();
  await expect(page).toHaveURL(/\/t\/acme\/ui\/runs$/);
  await page.getByLabel('Tenant', { exact: true }).selectOption('default');
  await page.getByRole('link', { name: 'Runs' }).click();
  await expect(page.getByText('INV-1')).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});

test('a viewer and a person are offered nothing that is refused', async ({ browser }) => {
  for (const name of ['vera', 'paul']) {
    const { page, errors } = await pageOf(browser, name);
    await page.goto(`${engine.url}/ui/`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(addresses.join()).not.toMatch(/access|audit/);
    for (const address of [...addresses, '/ui/flows/invoice', '/ui/account']) {
      await page.goto(`${engine.url}${address ?? ''}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      await page.waitForLoadState('load');
    }
    await page.goto(`${engine.url}/ui/access`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is not for you');
    expect(errors).toEqual([]);
    await page.context().close();
  }
});

test('what a viewer may not do says who can', async ({ browser }) => {
  const { page } = await pageOf(browser, 'vera');
  await page.goto(`${engine.url}/ui/runs`);
  await page.getByText('INV-1').click();
  const cancel = page.getByRole('button', { name: 'Cancel…' });
  await expect(cancel).toHaveAttribute('title', 'An operator or an admin can do this.');
  await cancel.click({ force: true }); // It can be reached, and does nothing.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expectAccessible(page, 'run-viewer');
  await page.context().close();
});

test('the inbox is the signed-in person’s; signing out ends it', async ({ browser }) => {
  const { page } = await pageOf(browser, 'paul');
  await page.goto(`${engine.url}/ui/`);
  await expect(page).toHaveURL(/\/ui\/inbox/);
  await expect(page.getByText('Who are you?')).toHaveCount(0);
  await page.getByRole('link', { name: 'Signed in as paul' }).click();
  await expect(page.getByRole('grid', { name: 'Your sessions' })).toContainText('This one');
  await expectAccessible(page, 'account');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await page.goto(`${engine.url}/ui/inbox`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await page.context().close();
});
