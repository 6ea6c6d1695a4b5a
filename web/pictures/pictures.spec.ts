/* pictures/pictures.spec.ts — walks through docs/office.md and docs/operator.md click by click, with the data of `pawl serve --demo`, and takes their
 * pictures on the way. `make pictures` writes them to docs/pictures. Names and what happened are the same each time; times of day are not. */
import type { Page } from '@playwright/test';

import { type Engine, expect, openEngine, test } from '../tests/engine';
import { picture } from './picture';

test.use({
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  actionTimeout: 15_000,
});
test.setTimeout(240_000);

let demo: Engine & { close: () => Promise<void> };

test.beforeEach(async () => {
  demo = await openEngine(['--demo']);
  await expect
    .poll(async () => JSON.stringify(await demo.send('GET', '/api/instances?status=failed')))
    .toContain('LEAVE-ben');
});
test.afterEach(async ({ page }) => {
  await page.close(); // It would say that its engine is gone.
  await demo.close();
});

const step = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name }).first();
const go = (page: Page, word: string) =>
  page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: new RegExp(`^${word}`) })
    .click();

test('for office users', async ({ page }) => {
  // 1. Open the page.
  await page.goto(`${demo.url}/ui/`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('failed');
  await expect(page.getByRole('heading', { name: 'Late tasks' })).toBeVisible();
  await picture(page, 'office-home');

  // 2. Begin with a template.
  await go(page, 'Flows');
  await page.getByRole('link', { name: 'New flow' }).click();
  await expect(page.getByRole('button', { name: /Start from scratch/ })).toBeVisible();
  await expect.poll(() => page.locator('main svg text').count()).toBeGreaterThan(15);
  await picture(page, 'office-templates');
  await page.getByRole('button', { name: /Somebody asks for leave/ }).click();

  // 3. Read the flow.
  await expect(step(page, 'Ask the manager')).toBeVisible();
  await picture(page, 'office-builder');

  // 4. Change a step: a data word goes into a text.
  const panel = page.getByRole('complementary', { name: 'What is chosen' });
  await step(page, 'Ask the manager').click();
  await expect(page.getByLabel('Name of the step')).toHaveValue('Ask the manager');
  await expect(page.getByRole('heading', { name: 'You can use' })).toBeVisible();
  await picture(page, 'office-step');
  const title = panel.getByLabel('Title', { exact: true });
  await title.click();
  await panel.getByRole('button', { name: /^Working days/ }).click();
  await expect(title).toContainText('Working days');
  await page.getByRole('button', { name: 'Take back (Ctrl Z)' }).click();
  await expect(title).not.toContainText('Working days');

  // 5. Say when to go which way.
  await page.getByRole('button', { name: 'a day or less', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'When to go this way' })).toBeVisible();
  await picture(page, 'office-line');
  await page.keyboard.press('Escape');

  // 6. Add a step, take it back; remove one, take that back.
  await page.getByRole('button', { name: 'Add a step here' }).first().click();
  await expect(page.getByRole('combobox', { name: 'Find a step' })).toBeFocused();
  await picture(page, 'office-add');
  await page.keyboard.type('wait');
  await page.getByRole('option', { name: 'Wait', exact: false }).first().click();
  const count = () => page.locator('.react-flow__node').count();
  await expect.poll(count).toBe(9);
  await page.getByRole('button', { name: 'Take back (Ctrl Z)' }).click();
  await expect.poll(count).toBe(8);
  await step(page, 'Wait a day').click();
  await page.keyboard.press('Delete');
  await expect.poll(count).toBe(7);
  await page.keyboard.press('Control+z');
  await expect.poll(count).toBe(8);

  // 7. Try it.
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Run the test' }).click();
  await expect(page.getByText(/^Reached /)).toBeVisible();
  await picture(page, 'office-test');
  await page.getByRole('button', { name: 'Close the test' }).click();

  // 8. Publish.
  await page.getByRole('button', { name: /^Publish/ }).click();
  const publish = page.getByRole('dialog', { name: /^Publish/ });
  await expect(publish).toBeVisible();
  await picture(page, 'office-publish');
  await publish.getByRole('button', { name: /^Publish version/ }).click();

  // 9. Start it.
  await go(page, 'Flows');
  await page.getByRole('link', { name: 'Leave request', exact: true }).first().click();
  await page.getByRole('button', { name: 'Start…' }).click();
  await expect(page.getByRole('dialog', { name: /^Start/ })).toBeVisible();
  await picture(page, 'office-start');
  await page.keyboard.press('Escape');

  // 10. Answer what waits.
  await go(page, 'Inbox');
  await page.getByLabel('Your name, as your flows know you').fill('grace');
  await page.keyboard.press('Enter');
  await page.getByText('Leave of ada@example.org').first().click();
  await expect(page.getByText('If nobody answers')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Hand over…' })).toBeVisible();
  await page.getByRole('radio', { name: /^Approve/ }).check();
  await picture(page, 'office-inbox');

  // By keyboard.
  await page.keyboard.press('Escape');
  await page.goto(`${demo.url}/ui/builder/leave-request`);
  await step(page, 'Ask the manager').click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'The builder' })).toContainText('Add a step behind this one');
});

test('for operators', async ({ page }) => {
  // A failed run, retried in four clicks.
  await page.goto(`${demo.url}/ui/`);
  await go(page, 'Runs');
  await page.getByRole('link', { name: 'Failed', exact: true }).click();
  await expect(page.getByRole('link', { name: 'LEAVE-ben' }).first()).toBeVisible();
  await picture(page, 'operator-runs');
  await page.getByRole('link', { name: 'LEAVE-ben' }).first().click();
  await expect(page.getByRole('group', { name: /Picture of the run/ })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Why it waits' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Went in' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Retry/ }).first()).toBeVisible();
  await picture(page, 'operator-run');

  // All that failed for one reason.
  await go(page, 'Home');
  await expect(page.getByRole('link', { name: /^Retry \d+…/ }).first()).toBeVisible();
  await page.goto(`${demo.url}/ui/runs?status=failed&do=retry`);
  await expect(page.getByRole('button', { name: /^Retry \d+ runs/ })).toBeVisible();
  await picture(page, 'operator-preview');

  await go(page, 'Workers');
  await expect(page.locator('tbody tr').first()).toBeVisible();
  await picture(page, 'operator-workers');
  await go(page, 'Triggers');
  await page.getByRole('row', { name: 'Every night at three of Nightly count' }).click();
  await expect(page.getByRole('table', { name: 'Next ticks' })).toBeVisible();
  await picture(page, 'operator-triggers');
});
