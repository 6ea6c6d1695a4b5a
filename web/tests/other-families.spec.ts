/* tests/other-families.spec.ts — flows of the other families, and documents too broken for the canvas: text and picture side by side,
 * checked as one types, kept as drafts with their mistakes, tested, published. */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

// The engine cannot draw a text that is no document, and says so with a 400.
test.use({ allowed: /status of 400/ });

const text = (page: Page) => page.getByLabel('Text of the flow');
const node = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);

async function write(page: Page, document: unknown) {
  await text(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(typeof document === 'string' ? document : JSON.stringify(document, null, 2));
}

const GREETING = {
  id: 'greeting',
  name: '<img src=x onerror=alert(1)>',
  version: '1.0',
  startsAt: 'Greet',
  states: [
    { name: 'Greet', type: 'RELAY', inject: { said: 'hello' }, transition: 'Wait' },
    { name: 'Wait', type: 'DELAY', timeDelay: 'PT1H', end: true },
  ],
};

const state = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

test('a serverless workflow is read and changed on the canvas, tested, published', async ({
  page,
  engine,
}) => {
  await page.goto('/ui/builder');
  await page.getByText('For developers: other ways').click();
  await page.getByRole('button', { name: 'Serverless workflow' }).click();
  await expect(state(page, 'Begin')).toBeVisible();

  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await write(page, {
    ...GREETING,
    startsAt: 'Nobody',
    states: [{ ...GREETING.states[0], wait: 1 }, GREETING.states[1]],
  });
  await page.getByRole('button', { name: 'Canvas', exact: true }).click();
  await expect(state(page, 'Wait')).toContainText('1 hour');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('<img src=x onerror=alert(1)>');
  expect(await page.locator('img').count()).toBe(0);
  // A problem is a press away from its place, and its repair changes the text.
  await page.getByRole('button', { name: /problems/ }).click();
  await page.getByRole('button', { name: 'Remove "wait"' }).click();
  await page.keyboard.press('Escape');
  await state(page, 'Greet').click();
  await expect(page.getByRole('button', { name: 'Remove "wait"' })).toHaveCount(0);

  // Its start leads nowhere: it is told where, a state gets another name and one is put behind it.
  await state(page, '(start)').click();
  await page.getByLabel('Where it leads', { exact: true }).selectOption('Greet');
  await state(page, 'Greet').click();
  await page.getByLabel('Name of the state').fill('Say hello');
  await page.keyboard.press('Enter');
  await expect(state(page, 'Say hello')).toBeVisible();
  await page
    .getByRole('button', { name: /^Functions/ })
    .first()
    .click();
  await expect(state(page, 'Functions')).toContainText('nothing to do');
  await expect(page.getByRole('button', { name: /problem/ })).toHaveCount(0);
  await expectAccessible(page, 'other-serverless');

  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Run the test' }).click();
  await expect(page.getByText(/^Reached /)).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish version 1' }).click();
  // A flow that was begun without a name gets its id from the name that it has now.
  await expect(page).toHaveURL(/\/ui\/flows\/img-src-x-onerror-alert-1$/);
  const published = (await engine.send('GET', '/api/workflows/img-src-x-onerror-alert-1')) as {
    dialect: string;
    document: unknown;
  };
  expect(published.dialect).toBe('serverless');
  expect(published.document).toMatchObject({
    startsAt: 'Say hello',
    states: [
      { name: 'Say hello', transition: 'Functions' },
      { name: 'Wait', timeDelay: 'PT1H', end: true },
      { name: 'Functions', type: 'OPERATION', transition: 'Wait' },
    ],
  });
});

test('events, actions and retries of a serverless workflow are read on the canvas', async ({
  page,
  engine,
}) => {
  const order = JSON.parse(
    await readFile(new URL('../../examples/serverless/order.json', import.meta.url), 'utf8'),
  ) as unknown;
  await engine.send('PUT', '/api/workflows/order-fulfilment/draft', order);
  await page.goto('/ui/builder/order-fulfilment');
  await expect(state(page, 'Fulfil')).toContainText('reserve and label (tried again)');
  await state(page, 'Fulfil').click();
  const panel = page.getByRole('complementary', { name: 'What is chosen' });
  await expect(panel).toContainText('5 more times, after 1 second');
  await expect(panel).toContainText('done by http://127.0.0.1:9090/reservations');
  await state(page, 'Payment').click();
  await expect(panel).toContainText('payment-received, within 3 days');
  await expect(panel).toContainText('payment.received from /bank');
  await expect(panel).toContainText('belongs to the run with the same data.orderId');
  await expectAccessible(page, 'serverless-order');
});

test('a model of entities', async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/parcel/draft', {
    dialect: 'entity/1',
    entityName: 'parcel',
    modelVersion: 1,
    sample: { weight: 2 },
    workflows: [
      {
        version: '1',
        name: 'way',
        initialState: 'NEW',
        states: {
          NEW: { transitions: [{ name: 'SEND', next: 'NOWHERE', manual: true }] },
          SENT: {},
        },
      },
    ],
  });
  await page.goto('/ui/builder/parcel');
  await expect(node(page, '/way/NEW').locator('circle')).toBeVisible();
  await page.keyboard.press('F8');
  await expect(text(page)).toBeFocused();
  // The browser's own selection follows a moment later.
  await expect
    .poll(() =>
      page.evaluate(() => {
        const root = document.querySelector('[data-region="text"] > div')?.shadowRoot;
        const select =
          root === null || root === undefined
            ? undefined
            : (Reflect.get(root, 'getSelection') as () => Selection);
        return root === null || root === undefined ? '' : String(select?.call(root));
      }),
    )
    .toBe('"NOWHERE"');
  await page.keyboard.insertText('"SENT"');
  await expect(page.getByRole('button', { name: /problem/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByLabel('What is asked of it').fill('SEND');
  await page.getByRole('button', { name: 'Run the test' }).click();
  await expect(page.getByText(/^(Reached|Waits at) /)).toBeVisible();
  await expectAccessible(page, 'other-entity');
});

test('a text with mistakes is kept, and becomes a flow for the canvas when it is mended', async ({
  page,
  engine,
}) => {
  await engine.send('PUT', '/api/workflows/twice/draft', {
    id: 'twice',
    name: 'Twice',
    steps: [
      { id: 'a', name: 'One', type: 'END' },
      { id: 'a', name: 'Two', type: 'END' },
    ],
  });
  await page.goto('/ui/builder/twice');
  await expect(page.getByRole('button', { name: /problem/ })).toBeVisible();
  await write(page, '{ "id": "twice", ');
  await expect(page.getByText('The picture shows the text as it was')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^saved /)).toBeVisible();
  await page.reload();
  await expect(text(page)).toContainText('{ "id": "twice",');
  await write(page, { id: 'twice', name: 'Twice', steps: [{ id: 'a', name: 'One', type: 'END' }] });
  await page.getByRole('button', { name: 'Show the canvas' }).click();
  await expect(page.locator('.react-flow__node', { hasText: 'One' })).toBeVisible();
});
