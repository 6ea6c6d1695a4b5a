/* tests/builder-events.spec.ts — data that office users enter: schedules in words with the engine's next ticks, an event that a step
 * waits for, and by what it belongs to a run. No path or formula is typed. */
import type { Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

const panel = (page: Page) => page.locator('#builder-panel');
const step = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });

interface Graph {
  readonly definitionId: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly type: string;
    readonly config?: Record<string, unknown>;
  }[];
}

async function draftOf(page: Page): Promise<Graph> {
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^saved /)).toBeVisible();
  const id = page.url().split('/').at(-1)?.split('?')[0] ?? '';
  const response = await page.request.get(`/api/workflows/${id}/draft`);
  return ((await response.json()) as { document: Graph }).document;
}

test('a schedule is chosen in words, and the engine counts its ticks', async ({ page }) => {
  await page.goto('/ui/builder');
  await page.getByRole('button', { name: /Start from scratch/ }).click();
  await page.getByRole('button', { name: /Start on a schedule/ }).click();
  await panel(page).getByLabel('Schedule', { exact: true }).selectOption('Every week');
  await panel(page).getByLabel('Day of the week').selectOption('Friday');
  await panel(page).getByLabel('At what time').fill('16:30');
  await panel(page).getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
  await expect(panel(page).getByText(/^Next: Fri \d+ \w+,? 16:30$/)).toBeVisible();
  await panel(page)
    .getByText(/^Next: /)
    .click();
  await expect(panel(page).locator('ol li')).toHaveCount(9);
  await expectAccessible(page, 'builder-schedule');
  const { nodes } = await draftOf(page);
  expect(nodes.find(({ type }) => type === 'trigger_cron')?.config).toMatchObject({
    cronExpression: '30 16 * * 5',
    timeZone: 'Europe/Berlin',
  });
  await panel(page).getByLabel('Schedule', { exact: true }).selectOption('Something else');
  await panel(page).getByLabel('Minute, hour, day, month, day of the week').fill('0 8 1 1 *');
  await expect(panel(page).getByText(/^Next: .* 1 Jan/)).toBeVisible();
});

test('a step waits for an event of its own, which belongs together by a pill', async ({ page, engine }) => {
  await page.goto('/ui/builder');
  await page.getByRole('button', { name: /Start from scratch/ }).click();
  await step(page, 'Somebody asks').click();
  await panel(page).getByLabel('Another question').fill('Order number');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add a step here' }).first().click();
  await page.getByRole('option', { name: 'Wait for event' }).click();
  await panel(page).getByLabel('Event', { exact: true }).selectOption('A web request of its own');
  for (const name of ['Somebody asks', 'Answer arrives']) {
    await panel(page)
      .getByRole('button', { name: `Pick a value for “${name}” belongs together by` })
      .click();
    await page.getByRole('option', { name: 'Order number' }).click();
  }
  await expect(panel(page).locator('.data', { hasText: 'Order number' }).first()).toBeVisible();
  await expectAccessible(page, 'builder-event');
  await panel(page).getByRole('button', { name: 'Event: show it' }).click();
  await panel(page).getByLabel('Path', { exact: true }).fill('/answers');
  const document = await draftOf(page);
  await engine.send('POST', '/api/workflows', document);
  const id = document.definitionId;

  // A run waits, and only the answer with its number lets it go on.
  const start = document.nodes.find(({ type }) => type === 'trigger_manual')?.id ?? '';
  const run = (await engine.send('POST', `/api/triggers/${id}/${start}/fire`, { orderNumber: 4711 })) as {
    instanceId: string;
  };
  await engine.send('POST', '/hooks/answers', { orderNumber: 4712 });
  await engine.send('POST', '/hooks/answers', { orderNumber: 4711 });
  await expect
    .poll(async () => {
      const found = await engine.send('GET', `/api/instances/${run.instanceId}`);
      return (found as { status: string }).status;
    })
    .toBe('completed');
});

test('starts by messages and by looking, the life of a flow, and what undoes a step', async ({ page }) => {
  await page.goto('/ui/builder');
  await page.getByRole('button', { name: /Start from scratch/ }).click();
  await page.getByRole('button', { name: /Start on an MQTT message/ }).click();
  await panel(page).getByLabel('Broker', { exact: true }).fill('plant');
  await panel(page).getByLabel('Topic', { exact: true }).fill('sensors/+/reading');
  await expect(panel(page).getByLabel('Description of the messages')).toHaveCount(0);
  await panel(page).getByLabel('Messages are', { exact: true }).selectOption('Protocol Buffers');
  await panel(page).getByLabel('Description of the messages').fill('readings#acme.Reading');
  await page.getByRole('button', { name: /Start on new data/ }).click();
  await panel(page).getByLabel('Look at', { exact: true }).selectOption('A web service');
  await panel(page).getByLabel('Address', { exact: true }).fill('https://example.org/rows');
  await page.getByRole('button', { name: 'Add a step here' }).first().click();
  await page.getByRole('option', { name: 'Call a web service' }).click();
  await panel(page).getByText('If something goes wrong').click();
  await panel(page).getByLabel('As I say here').check();
  await panel(page).getByLabel('Attempts, with the first').fill('5');
  await panel(page).getByLabel('Undo it by', { exact: true }).selectOption('Email');
  await expectAccessible(page, 'builder-safety');
  await panel(page).getByRole('button', { name: 'Close' }).click();
  await panel(page).getByText('How its runs live').click();
  await panel(page).getByLabel('A run takes at most', { exact: true }).fill('3');
  await panel(page).getByText('How many at the same time').click();
  await panel(page).getByLabel('Runs at the same time', { exact: true }).fill('10');
  await panel(page).getByLabel('What comes beyond that').selectOption('Waits for its turn');
  await expectAccessible(page, 'builder-life');
  const document = await draftOf(page);
  const config = (type: string) => document.nodes.find((node) => node.type === type);
  expect(config('trigger_mqtt')?.config).toEqual({
    brokerRef: 'plant',
    topic: 'sensors/+/reading',
    payloadFormat: 'Protobuf',
    schemaRef: 'readings#acme.Reading',
  });
  expect(config('trigger_poll')?.config).toEqual({ sourceType: 'RestApi', url: 'https://example.org/rows' });
  expect(config('action_http')).toMatchObject({
    retry: { maxAttempts: 5 },
    compensation: { type: 'action_email', config: {} },
  });
  expect(document).toMatchObject({
    settings: { executionTimeout: '3d', maxActiveInstances: 10, overflowPolicy: 'Queue' },
  });
});
