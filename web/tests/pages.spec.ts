/* tests/pages.spec.ts — home, a flow and a run: what they show, by keyboard too, accessible in light and dark. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

let failedId = '';

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', INVOICE);
  for (let number = 1; number <= 3; number++)
    failedId = await startInvoice(engine, `INV-${number}`, 100 + number);
  await startInvoice(engine, 'INV-LARGE', 5000);
  await expect
    .poll(async () => JSON.stringify(await engine.send('GET', '/api/instances?status=failed')))
    .toContain('INV-3');
});

test('home says what needs somebody, and leads there', { tag: '@quick' }, async ({ page }) => {
  await page.goto('/ui/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 runs failed');
  await expect(page.getByRole('link', { name: 'Retry 3…' })).toBeVisible();
  await expectAccessible(page, 'home');
  await page.getByRole('link', { name: 'Retry 3…' }).click();
  await expect(page.getByRole('button', { name: 'Retry 3 runs' })).toBeEnabled();
});

test('a run shows why it waits, its path and its data', { tag: '@quick' }, async ({ page }) => {
  await page.goto(`/ui/runs/${failedId}`);
  await expect(page.getByRole('region', { name: 'Why it waits' })).toContainText('Post to ledger');
  const picture = page.getByRole('group', { name: /Picture of the run/ });
  await expect(picture.getByRole('button', { name: /^Post to ledger/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expectAccessible(page, 'run');
  await picture.getByRole('button', { name: /^Over 1,000/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/visit=\d+/);
  await expect(picture.getByRole('button', { name: /^Over 1,000/ })).toHaveAttribute('aria-pressed', 'true');
  // By the names of steps, not by those that the engine has for its data.
  const wentIn = page.getByRole('region', { name: 'Went in' });
  await expect(wentIn).toContainText('Invoice arrives');
  await expect(wentIn).toContainText('KeyINV-3');
  await expect(wentIn).not.toContainText('instance.');
});

test('the picture has the step where the run stands in view, however small its place becomes', async ({
  page,
  engine,
}) => {
  const numbers = Array.from({ length: 14 }, (_, at) => at);
  await engine.send('POST', '/v1/definitions', {
    dialect: 'graph/1',
    definitionId: 'wide',
    name: 'Wide',
    nodes: [
      { id: 'begin', type: 'trigger_manual', label: 'Begin' },
      { id: 'size', type: 'decision', label: 'How much?' },
      ...numbers.map((at) => ({ id: `end-${at}`, type: 'end', label: `It is ${at}` })),
      { id: 'ask', type: 'human_task', label: 'Ask somebody', config: { title: 'Ask', groups: ['all'] } },
      { id: 'done', type: 'end', label: 'Done' },
    ],
    edges: [
      { from: 'begin', to: 'size' },
      ...numbers.map((at) => ({
        from: 'size',
        to: `end-${at}`,
        condition: { left: '{{ trigger.payload.amount }}', op: 'eq', right: at },
      })),
      { from: 'size', to: 'ask', default: true },
      { from: 'ask', to: 'done' },
    ],
  });
  const run = await engine.send('POST', '/v1/instances', { definitionId: 'wide', variables: { amount: 99 } });
  await page.goto(`/ui/runs/${String(Reflect.get(Object(run), 'id'))}`);
  const step = page
    .getByRole('group', { name: /Picture of the run/ })
    .getByRole('button', { name: /^Ask somebody/ });
  const isInPlace = () =>
    step.evaluate((element) => {
      const [inner, outer] = [element, element.closest('svg')?.parentElement];
      const [{ left, right }, place] = [inner.getBoundingClientRect(), outer?.getBoundingClientRect()];
      return place !== undefined && left >= place.left && right <= place.right;
    });
  await expect.poll(isInPlace).toBe(true);
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect.poll(isInPlace).toBe(true);
});

test.describe('flows', () => {
  test.use({ allowed: /status of 400/ }); // A broken file is refused.
  test('a file is published, a flow is started with a form', async ({ page }) => {
    await page.goto('/ui/flows');
    await expect(page.getByRole('heading', { level: 2, name: 'Invoice approval' })).toBeVisible();
    await expectAccessible(page, 'flows');
    const text = JSON.stringify({ ...INVOICE, definitionId: 'second', name: 'Second flow' });
    await page.getByLabel('Files to publish').setInputFiles([
      { name: 'second.json', mimeType: 'application/json', buffer: Buffer.from(text) },
      { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"id": 1}') },
    ]);
    const outcomes = page.getByRole('region', { name: 'What the files are' });
    await expect(outcomes).toContainText('Cannot be published');
    await outcomes.getByRole('button', { name: 'Publish 1 flow' }).click();
    await expect(outcomes).toContainText('Published');
    await outcomes.getByRole('link', { name: 'second v1' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second flow');
    await expectAccessible(page, 'flow');
    await page.getByRole('button', { name: 'Start…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Second flow' });
    await dialog.getByLabel(/^Key by which/).fill('S-1');
    await dialog.getByLabel(/as JSON/).fill('{"number": "S-1", "amount": 2000}');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('S-1');
  });
});
