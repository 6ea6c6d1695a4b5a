/* tests/help.spec.ts — `?` says what a page is for, its keys and what it asked; the API of the engine is a page. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

test('the help of a page says what it is for, its keys, and itself as curl', async ({ page, engine }) => {
  await page.goto('/ui/runs?status=failed');
  await expect(page.getByText('No run fits')).toBeVisible();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Runs' });
  await expect(help.getByText('What is happening.')).toBeVisible();
  await expect(help.getByText('Add a filter')).toBeVisible();
  await help.getByText('This page as curl').click();
  await expect(help.getByText(/^\/api\/instances\?.*status=failed/)).toBeVisible();
  await expectAccessible(page, 'help-runs');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await help.getByRole('button', { name: /^Copy the line for \/api\/instances\?/ }).click();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(engine.url);
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line]);
  expect(JSON.parse(stdout)).toMatchObject({ items: [] });
  await help.getByRole('link', { name: 'All help' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Help' })).toBeVisible();
});

test('the API is a page: found by words, with an example and a line for curl', async ({ page }) => {
  await page.goto('/ui/docs');
  await page.getByRole('link', { name: 'the API' }).click();
  await page.getByLabel('Find operations').fill('POST migrations');
  await expect(page.getByRole('status').filter({ hasText: '1 operation' })).toBeVisible();
  await page.getByText('/api/migrations').click();
  await expect(page.getByText('"definitionId": "order"').first()).toBeVisible();
  await expect(page.getByText(/^curl -sS .*\/api\/migrations'$/)).toBeVisible();
  await expectAccessible(page, 'docs-api');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(page, 'docs-api-390');
});
