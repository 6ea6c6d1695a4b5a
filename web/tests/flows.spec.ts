/* tests/flows.spec.ts — versions compared, texts checked while they are typed, files checked before they are published, triggers
 * switched off and on. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';
import { INVOICE } from './invoice';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Eright to left\u202C 🧾 ' + 'long '.repeat(26);

const SECOND = {
  ...INVOICE,
  nodes: [
    ...INVOICE.nodes.filter(({ id }) => id !== 'ask'),
    {
      id: 'ask',
      type: 'human_task',
      label: HOSTILE,
      config: { title: 'Approve', decisions: ['approve', 'decline'] },
    },
    {
      id: 'tell',
      type: 'action_email',
      label: 'Tell them',
      config: { to: 'a@example.com', subject: 'x', body: 'y' },
    },
  ],
  edges: [
    ...INVOICE.edges.filter(({ id }) => id !== 'e6'),
    { id: 'e7', from: 'post', to: 'tell' },
    { id: 'e8', from: 'tell', to: 'paid' },
  ],
};

const WEEKLY = {
  dialect: 'graph/1',
  definitionId: 'weekly',
  name: 'Weekly report',
  nodes: [
    { id: 'tick', type: 'trigger_schedule', label: 'Every Monday', config: { cron: '0 9 * * 1' } },
    { id: 'done', type: 'end', label: 'Done' },
  ],
  edges: [{ from: 'tick', to: 'done' }],
};

test.beforeAll(async ({ engine }) => {
  for (const document of [INVOICE, SECOND, WEEKLY]) await engine.send('POST', '/v1/definitions', document);
});

test('two versions are compared as pictures and as text', async ({ page }) => {
  page.on('dialog', () => {
    throw new Error('a name became markup');
  });
  await page.goto('/ui/flows/invoice');
  await page.getByRole('link', { name: 'Compare version 2 with the one before' }).click();
  await expect(page).toHaveURL(/compare\?from=1&to=2/);
  await expect(page.getByText('New').first()).toBeVisible();
  await expect(page.getByRole('list').getByText('Tell them').first()).toBeVisible();
  await expect(
    page.getByRole('img', { name: 'Picture of version 1' }).locator('[data-change="removed"]'),
  ).toHaveCount(1);
  await expect(
    page.getByRole('img', { name: 'Picture of version 2' }).locator('[data-change="added"]'),
  ).toHaveCount(3);
  await expectAccessible(page, 'compare');
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await expect(page).toHaveURL(/view=text/);
  const text = page.getByRole('group', { name: 'Text of both versions' });
  await expect(text).toContainText('"label": "Tell them"');
  const folds = text.getByRole('button', { name: /equal lines/ });
  const count = await folds.count();
  await folds.first().click();
  await expect(folds).toHaveCount(count - 1);
  await expectAccessible(page, 'compare-text');
  await page.getByLabel('from', { exact: true }).selectOption('2');
  await expect(page.getByText('The steps are the same')).toBeVisible();
});

test('a comparison that the engine has cut says so', async ({ page }) => {
  // tests/api/test_design.py has texts that are long enough; a browser need not draw them.
  await page.route('**/api/definitions/*/compare?*', async (route) => {
    const answer = await route.fetch();
    const whole = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...whole, cut: true } });
  });
  await page.goto('/ui/flows/invoice/compare?from=1&to=2&view=text');
  await expect(page.getByRole('group', { name: 'Text of both versions' })).toBeVisible();
  await expect(page.getByRole('note')).toContainText('too long');
});

test('a flow is retired, and deleted by somebody who types its id', async ({ page, engine }) => {
  await engine.send('POST', '/v1/definitions', {
    id: 'goes',
    name: 'Goes away',
    steps: [{ id: 'end', name: 'End', type: 'END' }],
  });
  await page.goto('/ui/flows/goes');
  await page.getByRole('button', { name: 'Retire…' }).click();
  const retire = page.getByRole('dialog', { name: 'Retire Goes away?' });
  await retire.getByRole('button', { name: 'Retire it' }).click();
  await expect(page.getByText('retired', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Goes away?' });
  await expectAccessible(page, 'delete-flow');
  await expect(dialog.getByRole('button', { name: 'Delete it' })).toBeDisabled();
  await dialog.getByLabel('Type goes to go on').fill('goes');
  // The answer comes after everybody has heard of it: this page must not ask for the flow meanwhile.
  const other = await page.context().newPage();
  await other.goto('/ui/flows/goes');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Goes away');
  await expect(other.locator('.live')).toHaveAttribute('data-state', 'live');
  await page.route('**/api/definitions/goes', async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    const answer = await route.fetch();
    await expect(other.getByRole('alert')).toContainText('Goes away was deleted');
    await route.fulfill({ response: answer });
  });
  await dialog.getByRole('button', { name: 'Delete it' }).click();
  await expect(page).toHaveURL(/\/ui\/flows$/);
  await expect(page.getByRole('link', { name: 'Goes away' })).toHaveCount(0);
  await other.getByRole('link', { name: 'All flows' }).click();
  await expect(other).toHaveURL(/\/ui\/flows$/);
});

test('the page of a flow that somebody else deletes says so, asks no more and writes no error', async ({
  page,
  engine,
}) => {
  const flow = {
    id: 'taken',
    name: 'Taken away',
    steps: [
      { id: 'wait', name: 'Wait', type: 'WAIT', nextStep: 'end' },
      { id: 'end', name: 'End', type: 'END' },
    ],
  };
  await engine.send('POST', '/v1/definitions', flow);
  await page.goto('/ui/flows/taken');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Taken away');
  await expect(page.locator('.live')).toHaveAttribute('data-state', 'live');
  await engine.send('DELETE', '/api/definitions/taken');
  await expect(page.getByRole('alert')).toContainText('Taken away was deleted');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('taken')) asked.push(request.url());
  });
  // Another flow of the id comes, and a page that hears of it at the same time shows it.
  const witness = await page.context().newPage();
  await witness.goto('/ui/flows');
  await expect(witness.locator('.live')).toHaveAttribute('data-state', 'live');
  await engine.send('POST', '/v1/definitions', { ...flow, name: 'Another one' });
  await expect(witness.getByRole('link', { name: 'Another one' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Taken away was deleted');
  expect(asked).toEqual([]);
});

test.describe('what is refused', () => {
  test.use({ allowed: /status of 404/ });

  test('a version that is not there', async ({ page }) => {
    await page.goto('/ui/flows/invoice/compare?from=1&to=99');
    await expect(page.getByRole('alert').first()).toBeVisible();
  });
});

test.describe('documents', () => {
  test('a text is checked while it is typed, and published when it fits', async ({ page }) => {
    await page.goto('/ui/flows');
    await page.getByRole('button', { name: 'Publish a text…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish a text' });
    const box = dialog.getByRole('textbox', { name: /Text of the flow/ });
    await expect(box).toBeFocused();
    await box.fill(
      '{\n  "id": "typed",\n  "name": "Typed flow",\n  "steps": [\n    { "id": "a", "type": "NOTHING" }\n  ]\n}',
    );
    await expect(dialog.getByRole('status')).toContainText('problem');
    const line = dialog.getByRole('button', { name: /^Line \d+/ }).first();
    await expect(line).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
    await line.click();
    await expect(box).toBeFocused();
    await expectAccessible(page, 'publish-text');
    await box.fill('id: typed\nname: Typed flow\nsteps:\n  - id: end\n    name: End\n    type: END\n');
    await expect(dialog.getByRole('status')).toContainText('Typed flow fits');
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Typed flow');
  });

  test('files are checked first, and those that fit are published', async ({ page }) => {
    await page.goto('/ui/flows');
    const text = JSON.stringify({ ...INVOICE, definitionId: 'dropped', name: 'Dropped flow' });
    const files = await page.evaluateHandle((good) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([good], 'dropped.json'));
      transfer.items.add(new File(['{"id": 1}'], 'broken.json'));
      transfer.items.add(new File(['{ not json'], 'worse.json'));
      return transfer;
    }, text);
    await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: files });
    const outcomes = page.getByRole('region', { name: 'What the files are' });
    await expect(outcomes.getByText('Can be published', { exact: true })).toHaveCount(1);
    await expect(outcomes.getByText('Cannot be published')).toHaveCount(2);
    await expectAccessible(page, 'publish-files');
    await outcomes.getByRole('button', { name: 'Publish 1 flow' }).click();
    await outcomes.getByRole('link', { name: 'dropped v1' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dropped flow');
  });
});

test('a trigger of a flow is switched off and on', async ({ page, engine }) => {
  await page.goto('/ui/flows/weekly');
  const trigger = page.getByRole('switch', { name: 'Every Monday' });
  await expect(trigger).toBeChecked();
  await trigger.press('Space');
  await expect(trigger).not.toBeChecked();
  await expect
    .poll(async () => JSON.stringify(await engine.send('GET', '/api/triggers?definitionId=weekly')))
    .toContain('"paused"');
  await expectAccessible(page, 'flow-triggers');
  await trigger.click();
  await expect(trigger).toBeChecked();
});
