/* pictures/pictures.spec.ts — the pictures of the documentation, taken from the application with the data of `pawl serve --demo`. `npm run pictures`
 * writes them to docs/pictures. Names and what happened are the same each time; times of day are not. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { Page } from '@playwright/test';

import { type Engine, expect, openEngine, test } from '../tests/engine';

test.use({ world: 'pictures', viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
test.setTimeout(240_000);

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZE_MAX = 100_000;

let demo: Engine & { close: () => Promise<void> };

test.beforeAll(async () => {
  demo = await openEngine(['--demo']);
});
test.afterAll(async () => demo.close());

/** WebP, which Playwright does not write by itself. */
async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await session.detach();
  const bytes = Buffer.from(data, 'base64');
  expect(bytes.length, name).toBeLessThanOrEqual(SIZE_MAX);
  await writeFile(`${FOLDER}${name}.webp`, bytes);
}

const step = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name }).first();

test('for office users', async ({ page }) => {
  await page.goto(`${demo.url}/ui/`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await picture(page, 'office-home');
  await page.goto(`${demo.url}/ui/builder`);
  await expect(page.getByRole('button', { name: /Start from scratch/ })).toBeVisible();
  await expect(page.getByText('Leave request').first()).toBeVisible();
  await expect.poll(() => page.locator('main svg text').count()).toBeGreaterThan(15);
  await picture(page, 'office-templates');

  await page.goto(`${demo.url}/ui/builder/leave-request`);
  await expect(step(page, 'Ask the manager')).toBeVisible();
  await picture(page, 'office-builder');
  await step(page, 'Ask the manager').click();
  await expect(page.getByLabel('Name of the step')).toHaveValue('Ask the manager');
  await picture(page, 'office-step');
  await page.getByRole('button', { name: 'a day or less', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'When to go this way' })).toBeVisible();
  await picture(page, 'office-line');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add a step here' }).first().click();
  await expect(page.getByRole('combobox', { name: 'Find a step' })).toBeFocused();
  await picture(page, 'office-add');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Run the test' }).click();
  await expect(page.getByText(/^Reached /)).toBeVisible();
  await picture(page, 'office-test');
  await page.getByRole('button', { name: 'Close the test' }).click();
  await page.getByRole('button', { name: /^Publish/ }).click();
  await expect(page.getByRole('dialog', { name: /^Publish/ })).toBeVisible();
  await picture(page, 'office-publish');

  await page.goto(`${demo.url}/ui/flows/leave-request`);
  await page.getByRole('button', { name: 'Start…' }).click();
  await expect(page.getByRole('dialog', { name: /^Start/ })).toBeVisible();
  await picture(page, 'office-start');
  await page.goto(`${demo.url}/ui/inbox`);
  await page.getByLabel('Your name, as your flows know you').fill('grace');
  await page.keyboard.press('Enter');
  await page.getByText('Leave of ada@example.org').first().click();
  await expect(page.getByRole('button', { name: 'approve' }).first()).toBeVisible();
  await picture(page, 'office-inbox');
});

test('for operators', async ({ page }) => {
  await page.goto(`${demo.url}/ui/runs?status=failed`);
  await expect(page.getByRole('link', { name: 'LEAVE-ben' }).first()).toBeVisible();
  await picture(page, 'operator-runs');
  await page.goto(`${demo.url}/ui/runs?status=failed&do=retry`);
  await expect(page.getByRole('button', { name: /^Retry \d+ runs/ })).toBeVisible();
  await picture(page, 'operator-preview');
  await page.getByRole('link', { name: 'LEAVE-ben' }).first().click();
  await expect(page.getByRole('group', { name: /Picture of the run/ })).toBeVisible();
  await picture(page, 'operator-run');
  await page.goto(`${demo.url}/ui/workers`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('tbody tr').first()).toBeVisible();
  await picture(page, 'operator-workers');
  await page.goto(`${demo.url}/ui/triggers`);
  await expect(page.getByText('nightly-count').first()).toBeVisible();
  await picture(page, 'operator-triggers');
});
