/* tests/watch.spec.ts — what an operator sees: changes show by themselves; filters are in the address; the engine goes away and
 * comes back; hostile names stay text. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Eright to left\u202C 🧾 ' + 'long '.repeat(30);

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', INVOICE);
  await engine.send('POST', '/v1/definitions', {
    ...INVOICE,
    definitionId: 'hostile',
    name: HOSTILE.slice(0, 190),
  });
  for (let number = 1; number <= 6; number++) await startInvoice(engine, `INV-${number}`, 100 + number);
  await startInvoice(engine, 'INV-LARGE', 5000);
  await engine.send('POST', '/v1/instances', {
    definitionId: 'hostile',
    businessKey: HOSTILE.slice(0, 190),
    variables: { number: HOSTILE, amount: 9999 },
  });
  await expect
    .poll(
      async () =>
        JSON.stringify(await engine.send('GET', '/api/instances?status=failed')).split('INV-').length - 1,
    )
    .toBeGreaterThanOrEqual(6);
});

test('a change shows within a second, without a reload', { tag: '@quick' }, async ({ page, engine }) => {
  await page.goto('/ui/runs');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: 'INV-1', exact: true })).toBeVisible();
  const fresh = page.getByRole('button', { name: /^1 new/ });
  // The page itself notes when it shows: a test that asks now and then sees it up to a second later.
  const shown = await page.evaluateHandle(() => {
    const promise = new Promise<number>((resolve) => {
      new MutationObserver(() => {
        if (document.querySelector('main')?.textContent.includes('1 new') === true) resolve(Date.now());
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    return { promise }; // In an object, or it would be waited for here.
  });
  await startInvoice(engine, 'INV-NEW', 7000);
  const started = Date.now();
  const tookMs = (await shown.evaluate(({ promise }) => promise)) - started;
  test.info().annotations.push({ type: 'measured', description: `${tookMs} ms` });
  expect(tookMs).toBeLessThan(1000);
  await expect(fresh).toBeVisible();
  // Rows do not jump under the reader: the new one waits until it is asked for.
  await expect(page.getByRole('row', { name: 'INV-NEW', exact: true })).toHaveCount(0);
  await page.keyboard.press('n');
  await expect(page.getByRole('row', { name: 'INV-NEW', exact: true })).toBeVisible();
  await expect(fresh).toHaveCount(0);
});

test('a preview of what will be touched is accessible', async ({ page }) => {
  await page.goto('/ui/runs?status=failed&do=retry');
  await expect(page.getByRole('button', { name: /^Retry \d+ runs/ })).toBeVisible();
  await expectAccessible(page, 'runs-preview');
});

test('filters are in the address, and the keyboard is enough', async ({ page }) => {
  await page.goto('/ui/runs?status=failed&keyword=INV-');
  await expect(page.getByRole('row', { name: 'INV-1', exact: true })).toBeVisible();
  await page.getByRole('button', { name: /^Remove: Status/ }).click();
  await expect(page).toHaveURL(/runs\?keyword=INV-$/);
  await page.keyboard.press('f');
  await page.getByRole('checkbox', { name: 'Waits for a person' }).check();
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/status=person/);
  await page.getByRole('row', { name: 'INV-LARGE' }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('1 run selected')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Runs' })).toContainText('Add a filter');
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: 'INV-LARGE' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('INV-LARGE');
});

test('hostile names stay text, and lists are accessible', { tag: '@quick' }, async ({ page }) => {
  page.on('dialog', () => {
    throw new Error('a name became markup');
  });
  await page.goto('/ui/runs');
  await expect(page.getByRole('link', { name: /<img src=x/ }).first()).toBeVisible();
  await expectAccessible(page, 'runs');
  await page
    .getByRole('link', { name: /<img src=x/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x');
  await expect(page.getByRole('group', { name: /Picture of the run/ })).toBeVisible();
  const width = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(width).toBe(0);
});

test.describe('the engine goes away', () => {
  test.use({ allowed: /net::ERR_|Failed to load resource/ });
  test('the page says so, keeps what it knew and goes on', { tag: '@quick' }, async ({ page, engine }) => {
    await page.goto('/ui/runs');
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    await expect(page.getByRole('row', { name: 'INV-1', exact: true })).toBeVisible();
    await engine.kill();
    await expect(page.getByRole('alert')).toContainText('does not answer');
    await expect(page.getByRole('row', { name: 'INV-1', exact: true })).toBeVisible();
    await engine.start();
    await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 20_000 });
    await expect(page.getByRole('alert')).toHaveCount(0);
    await startInvoice(engine, 'INV-AFTER', 7000);
    await page.getByRole('button', { name: /^1 new/ }).click();
    await expect(page.getByRole('row', { name: 'INV-AFTER', exact: true })).toBeVisible();
  });
});
