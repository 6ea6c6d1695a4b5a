/* tests/phone.spec.ts — a phone of 390 px, and a window of 1,440 px at 200 %: a flow is started, its task is found and answered, a run and
 * home are read, each in one column and nothing beside the window. */
import type { Page } from '@playwright/test';

import { runAddress } from '../src/ui/addresses';
import { expectAccessible } from './axe';
import { expect, test } from './engine';

const FLOW = {
  dialect: 'graph/1',
  definitionId: 'laptop',
  name: 'A laptop, please',
  nodes: [
    {
      id: 'start',
      type: 'trigger_manual',
      label: 'Asked',
      config: {
        inputSchema: {
          type: 'object',
          required: ['model'],
          properties: {
            model: { type: 'string', title: 'Model' },
            price: { type: 'number', title: 'Price' },
          },
        },
      },
    },
    {
      id: 'ask',
      type: 'human_task',
      label: 'Ask the office',
      config: {
        title: 'May we buy {{ trigger.payload.model }}?',
        assignees: ['ada'],
        decisions: ['yes', 'no'],
      },
    },
    { id: 'bought', type: 'end', label: 'Bought' },
    { id: 'over', type: 'end', label: 'Not bought' },
  ],
  edges: [
    { from: 'start', to: 'ask' },
    { from: 'ask', to: 'bought', fromPort: 'yes' },
    { from: 'ask', to: 'over', fromPort: 'no' },
  ],
};

const SIZES = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'zoomed', width: 720, height: 450 },
];

/** Nothing reaches over the edge of the window, except inside of what scrolls by itself. */
async function expectOneColumn(page: Page): Promise<void> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(width).toBeLessThanOrEqual(0);
}

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', FLOW);
  for (const { width } of SIZES)
    await engine.send('POST', '/v1/instances', {
      definitionId: 'laptop',
      businessKey: `first-${width}`,
      variables: { model: `Old ${width}` },
    });
});

for (const { name, width, height } of SIZES)
  test(`start, answer and read at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto('/ui/flows/laptop');
    await page.getByRole('button', { name: 'Start…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Model').fill(`Swift ${width}`);
    await expectOneColumn(page);
    await expectAccessible(page, `start-${name}`);
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(dialog).toBeHidden();

    await page.goto('/ui/inbox');
    await page.getByLabel('Your name, as your flows know you').fill('ada');
    await page.getByRole('button', { name: 'Show my tasks' }).click();
    await expectOneColumn(page);
    await expectAccessible(page, `inbox-${name}`);
    await page.getByRole('link', { name: `May we buy Swift ${width}?` }).click();
    const task = page.getByRole('region', { name: 'The task' });
    await expect(task.getByRole('heading', { name: `May we buy Swift ${width}?` })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Tasks', exact: true })).toBeHidden();
    await expectOneColumn(page);
    await expectAccessible(page, `task-${name}`);
    await task.getByRole('radio', { name: /^yes/i }).check();
    await task.getByRole('button', { name: /^Send/ }).click();
    await expect(task.getByText(/^Sent: May we buy .+\. Next: May we buy /)).toBeVisible();
    await task.getByRole('link', { name: 'All tasks' }).click();
    await expect(page.getByRole('region', { name: 'Tasks', exact: true })).toBeVisible();

    await page.goto('/ui/');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectOneColumn(page);
    await expectAccessible(page, `home-${name}`);
    await page.goto('/ui/runs?status=person');
    await page
      .getByRole('row', { name: /first-/ })
      .first()
      .click();
    await expect(page.getByRole('heading', { level: 1, name: /first-/ })).toBeVisible();
    await expectOneColumn(page);
    await expectAccessible(page, `run-${name}`);
    expect(page.url()).toContain(runAddress(''));
  });

test('the builder says on a phone that it wants a wider window', async ({ page, engine }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/ui/builder/laptop');
  await expect(page.getByText('The builder wants a wider window')).toBeVisible();
  await expect(page.locator('.react-flow')).toBeHidden();
  await expectOneColumn(page);
  await expectAccessible(page, 'builder-phone');
  await page.getByRole('link', { name: 'All flows' }).click();
  await expect(page).toHaveURL(`${engine.url}/ui/flows`);
});
