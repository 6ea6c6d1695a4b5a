/* tests/token.spec.ts — an engine that asks for a token: the page asks once, a wrong one is asked for again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Engine, expect, openEngine, test } from './engine';

let engine: Engine & { close: () => Promise<void> };
let directory = '';

test.use({ allowed: /401|net::ERR_|Failed to load resource/ });

test.beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pawl-token-'));
  await writeFile(join(directory, 'token'), 'let-me-in-0123456789\n', { mode: 0o600 });
  engine = await openEngine(['--auth-token-file', join(directory, 'token')]);
});

test.afterAll(async () => {
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

test('the token is asked for once', { tag: '@quick' }, async ({ page }) => {
  await page.goto(`${engine.url}/ui/runs`);
  const dialog = page.getByRole('dialog', { name: 'This engine asks for a token' });
  await dialog.getByLabel('Token').fill('wrong');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await expect(dialog).toBeVisible();
  await dialog.getByLabel('Token').fill('let-me-in-0123456789');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await expect(page.getByText('No run fits')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await page.reload();
  await expect(page.getByText('No run fits')).toBeVisible();
  await expect(dialog).toHaveCount(0);
});
