/* tests/operate.spec.ts — what an operator does: from "something failed" to "retried", one and all of one reason. */
import type { Page } from '@playwright/test';

import { expect, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

let failedId = '';

test.describe.configure({ mode: 'serial' });

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', INVOICE);
  for (let number = 1; number <= 6; number++)
    failedId = await startInvoice(engine, `INV-${number}`, 100 + number);
  await expect
    .poll(
      async () =>
        JSON.stringify(await engine.send('GET', '/api/instances?status=failed')).split('INV-').length - 1,
    )
    .toBeGreaterThanOrEqual(6);
});

/** Counts what a person presses. */
function clicker(page: Page) {
  const clicker = {
    count: 0,
    press: async (role: 'link' | 'button', name: string | RegExp) => {
      clicker.count++;
      await page
        .getByRole(role, { name, exact: typeof name === 'string' })
        .first()
        .click();
    },
  };
  return clicker;
}

async function visitsOf(engine: { send: (method: string, path: string) => Promise<unknown> }, id: string) {
  return Number(Reflect.get(Object(await engine.send('GET', `/api/instances/${id}`)), 'visits'));
}

test('one failed run is retried within four clicks', { tag: '@quick' }, async ({ page, engine }) => {
  const before = await visitsOf(engine, failedId);
  await page.goto('/ui/');
  const by = clicker(page);
  await by.press('link', /^Runs/);
  await by.press('link', 'Failed');
  await by.press('link', 'INV-6');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('INV-6');
  await by.press('button', 'Retry Post to ledger');
  expect(by.count).toBeLessThanOrEqual(4);
  await expect.poll(() => visitsOf(engine, failedId)).toBeGreaterThan(before);
});

test(
  'all that failed for one reason are retried within six clicks, after a preview',
  { tag: '@quick' },
  async ({ page, engine }) => {
    const before = await visitsOf(engine, failedId);
    await page.goto(`/ui/runs/${failedId}`);
    const by = clicker(page);
    await by.press('link', 'Retry all 6…');
    const side = page.getByRole('complementary', { name: 'Preview' });
    await expect(side).toContainText('Nothing has been sent');
    await expect(side).toContainText('6');
    expect(await visitsOf(engine, failedId)).toBe(before);
    await by.press('button', 'Retry 6 runs');
    expect(by.count + 3).toBeLessThanOrEqual(6); // Three to come here, as in the test above.
    await expect(side).toContainText('6 of 6 runs: 6 done');
    await expect(side.getByRole('listitem')).toHaveCount(6);
    await expect.poll(() => visitsOf(engine, failedId)).toBeGreaterThan(before);
  },
);
