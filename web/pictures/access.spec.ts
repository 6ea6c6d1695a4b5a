/* pictures/access.spec.ts — takes the pictures of docs/access.md and docs/security.md: the people, key, refusals and rows of the guide of
 * docs/access.md, on the pages for admins. */
import type { Page } from '@playwright/test';

import { type Engine, expect, openEngine, test } from '../tests/engine';
import { picture } from './picture';

test.use({
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  actionTimeout: 15_000,
  allowed: /401|403|Failed to load resource/,
});
test.setTimeout(120_000);

const PASSWORD = 'correct horse battery';
const HOLIDAY = {
  id: 'holiday',
  name: 'Holiday',
  steps: [
    { id: 'approve', name: 'Approve', type: 'USER_TASK', candidateGroups: ['approvers'], nextStep: 'done' },
    { id: 'done', name: 'Done', type: 'END' },
  ],
};

let engine: Engine & { close: () => Promise<void> };

test.beforeEach(async () => {
  engine = await openEngine([]);
});
test.afterEach(async ({ page }) => {
  await page.close(); // It would say that its engine is gone.
  await engine.close();
});

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('link', { name: `Signed in as ${name}` })).toBeVisible();
}

/** As the page itself asks, with its session. */
const ask = (page: Page, method: string, path: string, body: unknown) =>
  page.evaluate(
    async ([method, path, body]) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(path, { method, headers, body: JSON.stringify(body) })).status;
    },
    [method, path, body] as const,
  );

test('for admins', async ({ page }) => {
  await engine.send('POST', '/api/tenants', { name: 'acme', label: 'ACME Ltd' });
  const key = (await engine.send('POST', '/api/keys', {
    name: 'stock',
    roles: ['worker'],
    scopes: ['jobs:work:reserve-*'],
    note: 'the stock service',
  })) as { key: string };
  await engine.send('POST', '/v1/definitions', HOLIDAY);
  await engine.send('POST', '/v1/instances', { definitionId: 'holiday' });
  await engine.send('POST', '/api/grants', { to: 'user:ada', role: 'admin', tenant: '*' });
  await engine.send('POST', '/api/users', {
    name: 'ada',
    displayName: 'Ada',
    password: PASSWORD,
    roles: ['admin'],
  });

  await page.goto(`${engine.url}/ui/login`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await picture(page, 'security-login');
  await signIn(page, 'ada');

  const users = [
    { name: 'bob', displayName: 'Bob', roles: ['person'], groups: ['approvers'], password: PASSWORD },
    { name: 'eve', displayName: 'Eve', roles: ['viewer'], password: PASSWORD },
  ];
  for (const user of users) expect(await ask(page, 'POST', '/api/users', user)).toBe(201);
  await page.goto(`${engine.url}/ui/access/users`);
  await expect(page.getByRole('row', { name: 'eve' })).toContainText('viewer');
  await picture(page, 'access-users');

  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('button', { name: 'New key…' }).click();
  const dialog = page.getByRole('dialog', { name: /^A new key/ });
  await dialog.getByLabel('Name', { exact: true }).fill('mail');
  await dialog.getByRole('checkbox', { name: /^worker/ }).check();
  await dialog.getByLabel('Only for').fill('jobs:work:mail-*');
  await picture(page, 'access-key');
  await page.keyboard.press('Escape');

  await page.goto(`${engine.url}/ui/access/explain?name=user%3Aeve`);
  await expect(page.getByRole('row', { name: 'instances:operate: no' })).toBeVisible();
  await page.getByLabel('For', { exact: true }).fill('/v1/instances/1/cancel');
  await page.getByLabel('Asks', { exact: true }).selectOption('POST');
  await page.getByRole('button', { name: 'Explain' }).click();
  await expect(page.getByRole('region', { name: 'The reasons' })).toContainText('instances:operate');
  await picture(page, 'access-explain');

  const refused = await fetch(`${engine.url}/v1/jobs/poll`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jobTypes: ['charge-card'], workerId: 'w' }),
  });
  expect(refused.status).toBe(403);
  expect(await ask(page, 'POST', '/api/session', { name: 'bob', password: 'not his password' })).toBe(401);
  await page.goto(`${engine.url}/ui/access/refusals`);
  await expect(page.getByText('jobs:work:charge-card').first()).toBeVisible();
  await picture(page, 'security-refusals');

  await page.getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('grid', { name: 'Audit' })).toContainText('Key: create');
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText(/^The chain is whole/).first()).toBeVisible();
  await picture(page, 'access-audit');
});
