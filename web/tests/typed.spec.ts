/* tests/typed.spec.ts — what somebody types in a dialog is there again after Escape and after a reload, until it was sent; nobody else who sits down
 * at this browser finds it. */
import type { Page } from '@playwright/test';

import { expect, test } from './engine';

const FLOW = {
  dialect: 'graph/1',
  definitionId: 'order',
  name: 'Order',
  nodes: [
    {
      id: 'form',
      type: 'trigger_manual',
      config: {
        inputSchema: {
          type: 'object',
          properties: {
            thing: { type: 'string', title: 'Thing' },
            count: { type: 'integer', title: 'Count' },
          },
        },
      },
    },
    { id: 'ask', type: 'human_task', label: 'Ask', config: { title: 'Well?', groups: ['office'] } },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'form', to: 'ask' },
    { from: 'ask', to: 'end' },
  ],
};

test.beforeAll(({ engine }) => engine.send('POST', '/v1/definitions', FLOW));

const dialog = (page: Page) => page.getByRole('dialog');

/** Escape, open again; reload, open again. */
async function expectKept(page: Page, open: () => Promise<void>, isThere: () => Promise<void>) {
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await open();
  await isThere();
  await page.reload();
  await open();
  await isThere();
}

test('the data that a flow begins with', async ({ page }) => {
  await page.goto('/ui/flows/order');
  const open = () => page.getByRole('button', { name: 'Start…' }).click();
  await open();
  await dialog(page).getByLabel('Thing').fill('A chair');
  await dialog(page).getByLabel('Count').fill('many');
  await dialog(page)
    .getByLabel(/^Key by which/)
    .fill('O-1');
  await expectKept(page, open, async () => {
    await expect(dialog(page).getByLabel('Thing')).toHaveValue('A chair');
    await expect(dialog(page).getByLabel('Count')).toHaveValue('many');
    await expect(dialog(page).getByLabel(/^Key by which/)).toHaveValue('O-1');
  });
  await dialog(page).getByLabel('Count').fill('2');
  await dialog(page).getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('O-1');
  await page.goto('/ui/flows/order');
  await open();
  await expect(dialog(page).getByLabel('Thing')).toHaveValue('');
});

test('a filter', async ({ page }) => {
  await page.goto('/ui/runs');
  const open = () => page.getByRole('button', { name: 'Add a filter' }).click();
  const reason = dialog(page).getByLabel('Failed because of something with');
  await open();
  await reason.fill('the account is ');
  await expectKept(page, open, () => expect(reason).toHaveValue('the account is '));
  await dialog(page).getByRole('button', { name: 'Show' }).click();
  await page.getByRole('button', { name: /^Remove: Failed because/ }).click();
  await open();
  await expect(reason).toHaveValue('');
});

test('a text that is not published yet', async ({ page }) => {
  await page.goto('/ui/flows');
  const open = () => page.getByRole('button', { name: 'Publish a text…' }).click();
  const text = dialog(page).getByRole('textbox', { name: /Text of the flow/ });
  await open();
  await text.fill('id: half a');
  await expectKept(page, open, () => expect(text).toHaveValue('id: half a'));
});

test('an event, for the one who typed it', async ({ page }) => {
  const sit = (name: string) =>
    page.evaluate(
      (who) => localStorage.setItem('pawl.person', JSON.stringify({ name: who, groups: [] })),
      name,
    );
  await page.goto('/ui/triggers?show=unmatched');
  await sit('Ada');
  await page.reload();
  const open = () => page.getByRole('button', { name: 'Send an event…' }).click();
  const text = dialog(page).getByRole('textbox', { name: /^Data/ });
  await open();
  await text.fill('{"amount": ');
  await expectKept(page, open, () => expect(text).toHaveValue('{"amount": '));
  await sit('Bo');
  await page.reload();
  await open();
  await expect(text).toHaveValue('');
});
