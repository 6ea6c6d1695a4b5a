/* tests/triggers.spec.ts — triggers: ticks by two clocks, what arrived and what became of it, events sent again, pause, by hand. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';

test.use({ timezoneId: 'America/New_York' });

const HOSTILE = '<img src=x onerror=alert(1)> 🧾 ' + 'long '.repeat(30);

const flow = (id: string, name: string, triggers: readonly object[]) => ({
  dialect: 'graph/1',
  definitionId: id,
  name,
  nodes: [...triggers, { id: 'done', type: 'end', label: 'Done' }],
  edges: triggers.map((trigger) => ({ from: Reflect.get(trigger, 'id') as string, to: 'done' })),
});

const EVENT_FLOW = {
  id: 'lost-goods',
  name: 'Lost goods',
  version: '1.0',
  startsAt: 'Wait',
  triggers: [{ name: 'lost', source: '/shop', type: 'goods.lost' }],
  states: [
    { name: 'Wait', type: 'EVENT', eventActions: [{ condition: { body: 'lost' }, actions: [] }], end: true },
  ],
};

test.beforeAll(async ({ engine }) => {
  await engine.send(
    'POST',
    '/v1/definitions',
    flow('weekly', 'Weekly report', [
      {
        id: 'tick',
        type: 'trigger_schedule',
        label: HOSTILE,
        config: { cron: '30 9 * * 1', timezone: 'Asia/Tokyo' },
      },
      { id: 'hook', type: 'trigger_webhook', label: 'On request', config: { path: '/weekly' } },
    ]),
  );
  await engine.send(
    'POST',
    '/v1/definitions',
    flow(`x-${'y'.repeat(120)}`, HOSTILE, [{ id: 'by-hand', type: 'trigger_manual' }]),
  );
});

test('a schedule shows its next ten ticks by its own clock and the reader’s', async ({ page }) => {
  await page.goto('/ui/triggers');
  await page.getByRole('row', { name: /^<img src=x.* of Weekly report$/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/flow=weekly&trigger=tick/);
  const ticks = page.getByRole('table', { name: 'Next ticks' });
  await expect(ticks.getByRole('row')).toHaveCount(11);
  await expect(ticks).toContainText('Asia/Tokyo');
  await expect(ticks).toContainText('America/New_York (yours)');
  const first = ticks.getByRole('row').nth(1);
  await expect(first).toContainText('Mon');
  await expect(first).toContainText('09:30');
  await expect(first).toContainText(/Sun.*(19|20):30/);
  await expectAccessible(page, 'triggers');
  const width = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(width).toBe(0);
});

test('one is sent by hand, arrives, and a paused trigger says so', async ({ page }) => {
  await page.goto('/ui/triggers?flow=weekly&trigger=hook');
  const panel = page.getByRole('complementary', { name: 'The trigger' });
  await expect(panel).toContainText('/hooks/weekly');
  await panel.getByRole('button', { name: 'Send one…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send one to On request' });
  await dialog.getByRole('textbox').fill('{"n": 1}');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(dialog.getByRole('status')).toContainText('Started a run');
  await page.keyboard.press('Escape');
  await expect(panel.getByRole('list', { name: 'What arrived last' }).getByRole('listitem')).toHaveCount(1);
  await panel.getByRole('button', { name: 'Pause' }).click();
  await expect(panel).toContainText('Paused');
  await panel.getByRole('button', { name: 'Go on' }).click();
  await expect(panel).toContainText('Open');
  await page.getByRole('link', { name: 'Arrivals', exact: true }).click();
  await expect(page.getByRole('row', { name: /^On request of .*, Started a run$/ })).toBeVisible();
  await expectAccessible(page, 'arrivals');
  await page.getByLabel('What became of it', { exact: true }).selectOption('Came twice');
  await expect(page).toHaveURL(/outcome=duplicate/);
  await expect(page.getByText('Nothing fits')).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('an arrival that cannot be read says why in words, by the names of its flow', async ({
  page,
  engine,
}) => {
  // More triggers than one page of them has.
  for (let number = 0; number < 60; number++)
    await engine.send(
      'POST',
      '/v1/definitions',
      flow(`a-${number}`, `A ${number}`, [{ id: 'by-hand', type: 'trigger_manual' }]),
    );
  const sent = await fetch(`${engine.url}/hooks/weekly`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"n" 1}',
  });
  expect(sent.status).toBe(400);
  await page.goto('/ui/triggers?show=arrivals&outcome=decode_error');
  const row = page.getByRole('row', { name: /^On request of .*, Could not be read$/ });
  await expect(row).toContainText('It is not written as JSON.');
  const exactly = row.getByText("expected ':'");
  await expect(exactly).toBeHidden();
  await row.getByText('Details').click();
  await expect(exactly).toBeVisible();
  await expectAccessible(page, 'arrivals-details');
});

test('an event that nobody took is sent again and says what became of it', async ({ page, engine }) => {
  const sent = await fetch(`${engine.url}/v1/events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/cloudevents+json' },
    body: JSON.stringify({ specversion: '1.0', id: 'e1', source: '/shop', type: 'goods.lost', data: {} }),
  });
  expect(sent.ok).toBe(true);
  await page.goto('/ui/triggers?show=unmatched');
  await expect(page.getByRole('row', { name: 'goods.lost' })).toBeVisible();
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Nobody took it again' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'goods.lost' })).toBeVisible();
  await expectAccessible(page, 'unmatched');
  await engine.send('POST', '/v1/definitions', EVENT_FLOW);
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'It started 1 run.' })).toBeVisible();
  await expect(page.getByText('Every event was taken')).toBeVisible();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});
