/* tests/entities.spec.ts — models, their entities and what can be done with one: by pointer and keyboard, live, with names that
 * try to be something else, accessible in light and dark. */
import { expectAccessible } from './axe';
import { type Engine, expect, test } from './engine';

test.describe.configure({ mode: 'serial' });

const HOSTILE = ['<img src=x onerror=alert(1)>', 'مرحبا بالعالم', '🦊 & co', 'long'.repeat(50)];
const SAMPLE = {
  number: 'ORD-1',
  customer: 'Ada Lovelace',
  amount: 120.5,
  paid: false,
  address: { street: 'High Street 1', zip: '1010' },
};
const manual = (name: string, next: string, more: object = {}) => ({ name, next, manual: true, ...more });
const IS_PAID = { type: 'simple', jsonPath: '$.paid', operatorType: 'EQUALS', value: true };
const WORKFLOW = {
  name: 'Order',
  version: '1',
  initialState: 'NEW',
  active: true,
  states: {
    NEW: { transitions: [manual('CHECK', 'CHECKED'), manual('CANCEL', 'CANCELLED')] },
    CHECKED: { transitions: [manual('SHIP', 'SHIPPED', { criterion: IS_PAID }), manual('SEND_BACK', 'NEW')] },
    SHIPPED: { transitions: [] },
    CANCELLED: { transitions: [] },
  },
};

let first = '';

async function create(engine: Engine, data: object): Promise<string> {
  const [chunk] = (await engine.send('POST', '/api/entity/JSON/order/1', data)) as { entityIds: string[] }[];
  return chunk?.entityIds[0] ?? '';
}

async function fire(engine: Engine, id: string, transition: string, patch: object = {}): Promise<void> {
  const response = await fetch(`${engine.url}/api/entity/JSON/${id}/${transition}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json', 'If-Match': '*', 'X-Actor': 'Grace' },
    body: JSON.stringify(patch),
  });
  expect(response.status).toBe(200);
}

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/api/model/import/JSON/SAMPLE_DATA/order/1', SAMPLE);
  await engine.send('POST', '/api/model/order/1/workflow/import', { workflows: [WORKFLOW] });
  await engine.send('PUT', '/api/model/order/1/lock');
  await engine.send('POST', '/api/model/import/JSON/SAMPLE_DATA/customer/1', { name: 'Ada' });
  for (let number = 1; number <= 60; number++) {
    const customer = HOSTILE[number % 10] ?? 'Ada Lovelace';
    const id = await create(engine, {
      ...SAMPLE,
      number: `ORD-${1000 + number}`,
      customer,
      amount: number * 10,
    });
    if (number % 4 === 0) await fire(engine, id, 'CHECK');
    if (number % 8 === 0) await fire(engine, id, 'SHIP', { paid: true });
    if (number === 4) first = id;
  }
});

test('models lead to their entities, by state and by a field', { tag: '@quick' }, async ({ page }) => {
  await page.goto('/ui/entities');
  const order = page.getByRole('article').filter({ hasText: 'order' });
  await expect(order).toContainText('60 entities');
  await expect(page.getByRole('article').filter({ hasText: 'customer' })).toContainText('Not locked yet');
  await order.getByRole('link', { name: 'order', exact: true }).click();
  const list = page.getByRole('grid', { name: 'Entities' });
  await expect(list.getByRole('row').nth(1)).toContainText('ORD-1060');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page).toHaveURL(/cursor=/);
  await expect(list.getByRole('row')).toHaveCount(11);
  await page.goBack();
  const states = page.getByRole('group', { name: /^States/ });
  await expect(states.getByRole('button', { name: 'SHIPPED, 7 here' })).toBeVisible();
  // By keyboard: the state, then the field.
  await states.getByRole('button', { name: 'CHECKED, 8 here' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/state=CHECKED/);
  await expect(list.getByRole('row')).toHaveCount(9);
  await page.getByRole('button', { name: 'Search by a field' }).press('Enter');
  await page.getByLabel('Field', { exact: true }).selectOption('Amount');
  await page.getByLabel('Is', { exact: true }).selectOption('is more than');
  await page.getByLabel('Value', { exact: true }).fill('400');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/where=GREATER_THAN%3Aamount%3A400/);
  await expect(list.getByRole('row')).toHaveCount(4);
  await page.reload();
  await expect(list.getByRole('row')).toHaveCount(4);
  await page.getByRole('button', { name: /^Remove: Amount/ }).click();
  await expect(list.getByRole('row')).toHaveCount(9);
});

test('an entity is moved on by buttons, and told why it does not move', async ({ page, engine }) => {
  await page.goto('/ui/entities');
  await expect(page.getByRole('article')).toHaveCount(2);
  await expectAccessible(page, 'entities');
  await page.goto('/ui/entities/order/1');
  await expect(page.getByRole('button', { name: 'SHIPPED, 7 here' })).toBeVisible();
  await expectAccessible(page, 'model');
  await page.goto(`/ui/entities/id/${first}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ORD-1004');
  const actions = page.getByRole('group', { name: 'What can be done now' });
  await expect(actions.getByRole('button')).toHaveText(['Ship…', 'Send back']);
  // It wants to be paid: the form asks.
  await actions.getByRole('button', { name: 'Ship…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship' });
  await expect(dialog).toContainText('No way leads back from SHIPPED');
  await dialog.getByLabel('Paid').check();
  await expectAccessible(page, 'entity-ship');
  await dialog.getByRole('button', { name: 'Back' }).click();
  await expect(actions.getByRole('button', { name: 'Ship…' })).toBeFocused();
  // Elsewhere it goes back; the page shows it by itself.
  await fire(engine, first, 'SEND_BACK', { amount: 41 });
  await expect(actions.getByRole('button')).toHaveText(['Check', 'Cancel…']);
  await expect(page.getByRole('region', { name: 'Data now' })).toContainText('41');
  await actions.getByRole('button', { name: 'Check' }).press('Enter');
  await expect(
    page
      .getByRole('group', { name: /^States; it is in CHECKED/ })
      .or(page.getByRole('img', { name: /it is in CHECKED/ })),
  ).toBeVisible();
  const versions = page.getByRole('list', { name: 'Versions' });
  await expect(versions.getByRole('button')).toHaveCount(4);
  await versions.getByRole('button', { name: /^v3/ }).click();
  await expect(page.getByRole('region', { name: 'What this version changed' })).toContainText('amount 40 41');
  await versions.getByRole('button', { name: /^v1/ }).click();
  await expect(page.getByRole('region', { name: 'Data as they were' })).toContainText('40');
  await expectAccessible(page, 'entity-past');
  await page.getByRole('button', { name: 'Audit' }).click();
  await expect(page.getByRole('list', { name: 'Audit' })).toContainText('leads from "NEW" to "CHECKED"');
  await expect(page.getByRole('list', { name: 'Audit' })).toContainText('Grace');
  await expectAccessible(page, 'entity');
});

test.describe('refusals', () => {
  test.use({ allowed: /status of 4(00|12)/ }); // The engine refuses.
  test('who looks at an old page is told, and nothing is overwritten', async ({ page, engine }) => {
    await page.goto(`/ui/entities/id/${first}`);
    await page.getByRole('button', { name: 'Ship…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ship' });
    await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
    await expect(dialog).toContainText('does not hold');
    await fire(engine, first, 'SEND_BACK', { customer: 'Somebody else' });
    await fire(engine, first, 'CHECK');
    await dialog.getByLabel('Paid').check();
    await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
    await expect(dialog).toContainText('Somebody else changed it meanwhile');
    await dialog.getByRole('button', { name: 'Back' }).click();
    await expect(page.getByRole('region', { name: 'Data now' })).toContainText('Somebody else');
    await page.getByRole('button', { name: 'Ship…' }).click();
    await dialog.getByLabel('Paid').check();
    await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
    await expect(page.getByText('Nothing leads on from here.')).toBeVisible();
  });

  test('one is created by hand and its data are changed', async ({ page }) => {
    await page.goto('/ui/entities/order/1');
    await page.getByRole('button', { name: 'Create one…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create order' });
    await dialog.getByLabel(/^Number/).fill(HOSTILE[0] ?? '');
    await dialog.getByLabel(/^Customer/).fill(HOSTILE[3] ?? '');
    await dialog.getByLabel(/^Amount/).fill('seven');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(dialog).toContainText('Write a number');
    await dialog.getByLabel(/^Amount/).fill('7');
    await dialog.getByLabel(/^Zip/).fill(HOSTILE[1] ?? '');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(HOSTILE[0] ?? '');
    await page.getByRole('button', { name: 'Change…' }).click();
    const change = page.getByRole('dialog', { name: 'Change the data' });
    await change.getByLabel(/^Amount/).fill('8');
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('region', { name: 'What this version changed' })).toContainText('amount 7 8');
    await expect(page.getByRole('region', { name: 'Data now' })).toContainText(HOSTILE[3] ?? '');
    await expectAccessible(page, 'entity-hostile');
  });
});
