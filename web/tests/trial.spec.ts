/* tests/trial.spec.ts — the test of a flow is honest: it begins where one says, sends the answers that are shown, in every round and for each
 * item, lets calls fail, shows what each step would send and an e-mail as it would look, and says of a result when it is an old one. */
import type { Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

const SCHEMA = {
  type: 'object',
  properties: {
    names: { type: 'array', items: { type: 'string' }, title: 'Names' },
    price: { type: 'number', title: 'Price' },
  },
};

/* By this a delivery finds its run. */
const TOGETHER = { correlationExpression: '$.price' };

const FLOW = {
  dialect: 'graph/1',
  definitionId: 'votes',
  name: 'Votes',
  nodes: [
    {
      id: 'form',
      type: 'trigger_manual',
      label: 'By form',
      config: { inputSchema: SCHEMA, ...TOGETHER },
    },
    { id: 'hook', type: 'trigger_webhook', label: 'By the shop', config: { path: '/votes', ...TOGETHER } },
    {
      id: 'sensor',
      type: 'trigger_mqtt',
      label: 'By a sensor',
      config: { brokerRef: 'plant', topic: 'votes/+', ...TOGETHER },
    },
    { id: 'monday', type: 'trigger_cron', label: 'On Mondays', config: { cronExpression: '0 8 * * 1' } },
    {
      id: 'news',
      type: 'trigger_webhook',
      label: 'Delivery',
      config: { path: '/delivered', onMatch: 'MapOrDiscard', ...TOGETHER },
    },
    {
      id: 'each',
      type: 'for_each',
      label: 'Each of them',
      config: { items: '{{ trigger.payload.names }}', result: '{{ nodes.vote.decision }}' },
    },
    {
      id: 'vote',
      type: 'human_task',
      label: 'Vote',
      parent: 'each',
      config: { title: 'May {{ item }}?', groups: ['voters'], decisions: ['yes', 'no'] },
    },
    {
      id: 'ask',
      type: 'human_task',
      label: 'Ask the chief',
      config: { title: 'All well?', groups: ['chiefs'], decisions: ['approve', 'decline'], timeout: '3d' },
    },
    {
      id: 'wait',
      type: 'wait_event',
      label: 'Until delivered',
      config: { trigger: 'news' },
    },
    {
      id: 'pay',
      type: 'action_http',
      label: 'Pay',
      config: {
        method: 'POST',
        url: 'https://bank.example/pay',
        body: { sum: '{{ trigger.payload.price }}' },
      },
    },
    {
      id: 'mail',
      type: 'action_email',
      label: 'Tell them',
      config: {
        to: ['ann@a.example'],
        subject: 'It costs {{ trigger.payload.price }}',
        body: 'Hello,\n{{ nodes.each.results }}',
      },
    },
    { id: 'done', type: 'end', label: 'Done' },
    { id: 'late', type: 'end', label: 'Too late' },
    { id: 'broken', type: 'end', label: 'Not paid' },
  ],
  edges: [
    ...['form', 'hook', 'sensor', 'monday'].map((from) => ({ from, to: 'each' })),
    { from: 'each', fromPort: 'body', to: 'vote' },
    { from: 'each', fromPort: 'done', to: 'ask' },
    { from: 'ask', fromPort: 'approve', to: 'wait' },
    { from: 'ask', fromPort: 'decline', to: 'late' },
    { from: 'ask', fromPort: 'timeout', to: 'late' },
    { from: 'wait', to: 'pay' },
    { from: 'pay', to: 'mail' },
    { from: 'pay', fromPort: 'error', to: 'broken' },
    { from: 'mail', to: 'done' },
  ],
};

/** From the form to the loop, into it, on to the chief, and what happens when nobody answers. */
const TAKEN_WHEN_LATE = 4;

const region = (page: Page) => page.getByRole('region', { name: 'Test', exact: true });
const run = (page: Page) => region(page).getByRole('button', { name: /^Run (the test|again)$/ });
const outcome = (page: Page) => region(page).getByRole('status');
const choose = (page: Page, step: string, at = 0) =>
  region(page)
    .getByRole('listitem')
    .getByRole('button', { name: new RegExp(step) })
    .nth(at)
    .click();

test.beforeEach(async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/votes/draft', FLOW);
  await page.goto('/ui/builder/votes');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
});

test('the answers that are shown are sent, item by item and in each round; a result that is old says so', async ({
  page,
}) => {
  await run(page).click();
  await expect(outcome(page)).toHaveText('Reached Done');
  await choose(page, 'Vote', 1);
  await expect(region(page)).toContainText('Asked');
  await expect(region(page).getByText(/^May \S+\?$/)).toBeVisible();
  await choose(page, 'Pay');
  await expect(region(page)).toContainText('https://bank.example/pay');
  await choose(page, 'Tell them');
  const mail = region(page).getByRole('article', { name: 'The e-mail as it would look' });
  await expect(mail).toContainText('ann@a.example');
  await expect(mail).toContainText(/It costs \d+/);
  await expect(mail).toContainText('["yes","yes"]');
  await expectAccessible(page, 'trial');

  await region(page).getByRole('button', { name: 'Another item' }).click();
  await region(page).getByLabel('Answer of Vote, item 1').selectOption('no');
  await expect(outcome(page)).toHaveText(/^An old result/);
  await run(page).click();
  await expect(outcome(page)).toHaveText('Reached Done');
  await choose(page, 'Tell them');
  await expect(mail).toContainText('["no","yes"]');

  await region(page).getByLabel('Answer of Ask the chief').selectOption('decline');
  await expect(outcome(page)).toHaveText(/^An old result/);
  await run(page).click();
  await expect(outcome(page)).toHaveText('Reached Too late');
});

test('a deadline that passes is no failure, and a call that fails goes its way', async ({ page }) => {
  await region(page).getByLabel('When Ask the chief answers').selectOption('never');
  await run(page).click();
  await expect(outcome(page)).toHaveText('Reached Too late');
  await expect(region(page)).toContainText('no answer in 3 days');
  await expect(region(page)).not.toContainText(/boundary|failed/i);
  // An answer leads to the same step, and nobody gave it.
  const tones = page.locator('.react-flow__edge [data-tone="taken"]');
  await expect(tones).toHaveCount(TAKEN_WHEN_LATE);

  await region(page).getByLabel('When Ask the chief answers').selectOption('after an hour');
  await region(page).getByText('All calls work').click();
  await region(page).getByLabel('Pay fails').check();
  await run(page).click();
  await expect(outcome(page)).toHaveText('Reached Not paid');
  await choose(page, 'Pay');
  await expect(region(page)).toContainText('The test lets it fail.');
});

test('one chooses the start, and makes up what comes by it', async ({ page }) => {
  const start = region(page).getByLabel('Starts by');
  await expect(start.getByRole('option')).toHaveText(['By form', 'By the shop', 'By a sensor', 'On Mondays']);
  for (const name of ['By the shop', 'By a sensor', 'On Mondays']) {
    await start.selectOption(name);
    await region(page).getByRole('button', { name: 'Change the sample' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('{"names": ["Ann"], "price": 7}');
    await dialog.getByRole('button', { name: 'Run with this' }).click();
    // A schedule brings nothing by which a delivery could find the run.
    await expect(outcome(page)).toHaveText(
      name === 'On Mondays' ? 'Waits at Until delivered' : 'Reached Done',
    );
    await expect(region(page).getByRole('listitem').first()).toContainText(name);
    if (name === 'On Mondays') continue;
    await choose(page, 'Tell them');
    await expect(region(page).getByRole('article', { name: 'The e-mail as it would look' })).toContainText(
      'It costs 7',
    );
  }
  // The event that a step waits for is made up, too.
  await expect(region(page).getByText('Until delivered: the event comes')).toBeVisible();
});
