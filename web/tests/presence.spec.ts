/* tests/presence.spec.ts — two people on one draft: each sees the other's name, takes over what the other saves while nothing of one's own is
 * lost by that, and chooses from the difference where both have changed something. */
import type { Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

const FLOW = {
  dialect: 'graph/1',
  name: 'Shared',
  nodes: [
    { id: 's', type: 'trigger_manual', label: 'Start' },
    { id: 'w', type: 'delay', label: 'Think it over', config: { duration: '1d' } },
    { id: 'e', type: 'end', label: 'End' },
  ],
  edges: [
    { from: 's', to: 'w' },
    { from: 'w', to: 'e' },
  ],
};

// The browser notes a save that cannot get through, and one that is refused with 412.
test.use({ allowed: /status of 412|ERR_FAILED/ });

const sitDown = (page: Page, name: string) =>
  page.addInitScript(
    (who) => localStorage.setItem('pawl.person', JSON.stringify({ name: who, groups: [] })),
    name,
  );
const name = (page: Page) => page.getByLabel('Name of the step');
const step = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

test('two people on one draft see each other, what the other did, and a difference', async ({
  page,
  browser,
  engine,
}) => {
  await engine.send('PUT', '/api/workflows/shared/draft', FLOW);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await sitDown(page, 'Ada');
  await sitDown(other, 'Bo');
  await page.goto('/ui/builder/shared');
  await expect(step(page, 'w')).toBeVisible();
  await expect(page.locator('[data-presence]')).toHaveCount(0);
  await other.goto(`${engine.url}/ui/builder/shared`);
  await expect(page.locator('[data-presence]')).toHaveText('Bo is here, too');
  await expect(other.locator('[data-presence]')).toHaveText('Ada is here, too');

  // Bo saves; Ada, who has changed nothing, has it at once, and reads who it was.
  await step(other, 'w').click();
  await name(other).fill('Sleep on it');
  await expect(step(page, 'w')).toContainText('Sleep on it');
  await expect(page.getByText(/^Bo has changed this flow just now\./)).toContainText('Sleep on it');
  await expectAccessible(page, 'presence');
  await page.getByRole('button', { name: 'Fine' }).click();

  // Both change it: Bo's save comes while Ada's cannot get through, and Ada is asked.
  await page.route('**/draft', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  await step(page, 'w').click();
  await name(page).fill('Wait for Ada');
  await expect(page.getByText(/^not saved/i)).toBeVisible();
  await name(other).fill('Wait for Bo');
  await expect
    .poll(async () => JSON.stringify(await engine.send('GET', '/api/workflows/shared/draft')))
    .toContain('Wait for Bo');
  await page.unroute('**/draft');
  await page.keyboard.press('Control+s');
  const asked = page.getByRole('alertdialog', { name: /Somebody else changed/ });
  await expect(asked).toContainText('Bo');
  await expect(asked).toContainText('Wait for');
  await asked.getByRole('button', { name: 'Keep mine' }).click();
  await expect(step(other, 'w')).toContainText('Wait for Ada');

  await context.close();
  await expect(page.locator('[data-presence]')).toHaveCount(0);
});
