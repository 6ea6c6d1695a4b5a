/* tests/find.spec.ts — the search of the top bar: everything by keyboard, from anywhere. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

let entityId = '';

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', INVOICE);
  await engine.send('POST', '/v1/definitions', {
    ...INVOICE,
    definitionId: 'hostile',
    name: '<img src=x onerror=alert(1)>',
  });
  await startInvoice(engine, 'INV-1', 5000);
  await engine.send('POST', '/api/model/import/JSON/SAMPLE_DATA/Parcel/1', { weight: 1 });
  await engine.send('PUT', '/api/model/Parcel/1/lock', {});
  const [made] = (await engine.send('POST', '/api/entity/JSON/Parcel/1', { weight: 2 })) as {
    entityIds: string[];
  }[];
  entityId = made?.entityIds[0] ?? '';
});

test('flows, runs, tasks, entities, triggers and pages are found by a few letters', async ({ page }) => {
  page.on('dialog', () => {
    throw new Error('a name became markup');
  });
  await page.addInitScript(() => localStorage.setItem('pawl.person', '{"name":"ada","groups":[]}'));
  await page.goto('/ui/workers');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const box = page.getByRole('combobox', { name: /^Find/ });
  await page.keyboard.press('/');
  await expect(box).toBeFocused();
  const list = page.getByRole('listbox', { name: 'What was found' });
  await expect(list.getByRole('option', { name: 'Inbox' })).toBeVisible();

  const cases = [
    ['trig', 'Triggers', /\/triggers$/],
    ['invoice app', 'Invoice approval', /\/flows\/invoice$/],
    ['INV-1', 'INV-1', /\/runs\//],
    ['approve the', 'Approve the invoice', /\/inbox\//],
    ['parc', /^Parcel version 1/, /\/entities\/Parcel\/1$/],
    [entityId.slice(0, 11), entityId, /\/entities\/id\//],
    ['invoice arr', 'Invoice arrives', /\/triggers\?flow=/],
  ] as const;
  for (const [typed, title, address] of cases) {
    await page.keyboard.press('Control+k');
    await expect(box).toBeFocused();
    await box.fill(typed);
    const first = list.getByRole('option', { name: title }).first();
    await expect(first).toBeVisible();
    await expect(list).toHaveAttribute('aria-busy', 'false');
    while ((await first.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(address);
  }
  await page.keyboard.press('Control+k');
  await box.fill('<img');
  await expect(list.getByRole('option', { name: '<img src=x onerror=alert(1)>' }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(box).toHaveValue('<img');
});

test('what was found is accessible', async ({ page }) => {
  await page.goto('/ui/workers');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('combobox', { name: /^Find/ })).toBeFocused();
  await page.keyboard.type('INV');
  await expect(page.getByRole('option', { name: 'INV-1' }).first()).toBeVisible();
  await expectAccessible(page, 'find');
});

test('who types and sends at once gets the list of runs', async ({ page }) => {
  await page.goto('/ui/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('nothing-of-the-kind');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/runs\?keyword=nothing-of-the-kind/);
});
