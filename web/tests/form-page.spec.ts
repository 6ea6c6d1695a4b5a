/* tests/form-page.spec.ts — a form for everybody: the builder shows its address, a QR code and a line for curl, and each of them leads to the page, which
 * fits a phone, has no findings, and needs no script. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { qrOf, svgOf } from '../src/ui/qr';
import { expectAccessible } from './axe';
import { expect, test } from './engine';

const FLOW = {
  dialect: 'graph/1',
  definitionId: 'desk',
  name: 'A desk, please',
  nodes: [
    {
      id: 'form',
      type: 'trigger_manual',
      label: 'Somebody asks',
      config: {
        openForm: true,
        inputSchema: {
          type: 'object',
          required: ['model'],
          properties: {
            model: { type: 'string', title: 'Model', description: 'As the shop calls it.' },
            count: { type: 'integer', title: 'How many' },
          },
        },
      },
    },
    { id: 'end', type: 'end' },
  ],
  edges: [{ from: 'form', to: 'end' }],
};

test.beforeAll(({ engine }) => engine.send('POST', '/v1/definitions', FLOW));

test('the address, the code and the line of a form are in the builder', async ({ page, engine }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/ui/builder/desk');
  await page.locator('.react-flow__node', { hasText: 'Somebody asks' }).click();
  const address = `${engine.url}/forms/desk`;
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy the address' }).click();
  await expect.poll(copied).toBe(address);
  await page.getByRole('button', { name: 'As curl' }).click();
  await expect.poll(copied).toContain(`curl '${address}'`);
  const line = (await copied()).replace('model=…', 'model=Oak');
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `${line} -sS`]);
  expect(stdout).not.toContain('"error"');
  await expect
    .poll(async () => JSON.stringify(await engine.send('GET', '/api/instances?definitionId=desk')))
    .toContain('completed');

  await page.getByRole('button', { name: 'QR code' }).click();
  const dialog = page.getByRole('dialog', { name: 'QR code' });
  const squares = qrOf(address) ?? [];
  const code = dialog.getByRole('img', { name: `QR code of ${address}` });
  await expect(code.locator('rect')).toHaveCount(1 + squares.flat().filter(Boolean).length);
  await expectAccessible(page, 'form-qr');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save the picture' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('desk.svg');
  expect(await readFile(await download.path(), 'utf8')).toBe(svgOf(squares));
  await dialog.getByRole('button', { name: 'Copy the picture' }).click();
  await expect
    .poll(() =>
      page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => [...item.types])),
    )
    .toEqual(['image/png']);
});

for (const width of [390, 1440])
  test(`the page of a form at ${width} px, without a script`, async ({ browser, engine }) => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${engine.url}/forms/desk`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('A desk, please');
    await expect(page.getByText('As the shop calls it.')).toBeVisible();
    await page.getByLabel('Model').fill(`Oak ${width}`);
    await page.getByLabel(/^How many/).fill('2');
    await page.getByRole('button').click();
    await expect(page.getByLabel('Model')).toHaveCount(0);
    const runs = JSON.stringify(await engine.send('GET', '/api/instances?definitionId=desk'));
    expect(runs.match(/"completed"/g)?.length ?? 0).toBeGreaterThan(1);
    await context.close();
  });

test('the page of a form has no findings', async ({ page }) => {
  await page.goto('/forms/desk');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    await expectAccessible(page, `form-${width}`);
  }
});
