/* tests/connections.spec.ts — connections are set, tested, replaced and removed by pointer, and no value is ever shown; the builder says
 * before publishing what a flow needs and does not have. */
import { expectAccessible } from './axe';
import { type Engine, expect, openEngine, test } from './engine';
import { mailServer } from './mail-server';

const SECRET = 'planted-5e1d-value';

const mailing = (id: string, secret: string) => ({
  dialect: 'graph/1',
  definitionId: id,
  name: 'Tell the customer',
  nodes: [
    { id: 'start', type: 'trigger_manual', label: 'Start' },
    {
      id: 'mail',
      type: 'action_email',
      label: 'Write',
      config: { connectionRef: `vault:${secret}`, to: 'ann@a.example', subject: 'Hello', body: 'Hi' },
    },
    { id: 'end', type: 'end', label: 'End' },
  ],
  edges: [
    { from: 'start', to: 'mail' },
    { from: 'mail', to: 'end' },
  ],
});

let engine: Engine & { close: () => Promise<void> };
test.beforeAll(async () => {
  engine = await openEngine(['--allow-private-calls']);
  await engine.send('POST', '/v1/definitions', mailing('tell', 'post'));
  await engine.send('PUT', '/api/secrets/spare', { value: SECRET });
});
test.afterAll(() => engine.close());

test('a mail server is set, tested, replaced and removed by pointer', async ({ page }) => {
  const server = await mailServer();
  await page.goto(`${engine.url}/ui/connections`);
  await page.getByRole('row', { name: 'post, Not there' }).click();
  const panel = page.getByRole('complementary', { name: 'The connection' });
  await expect(panel.getByRole('link', { name: 'Tell the customer' })).toBeVisible();
  await panel.getByRole('button', { name: 'Set it…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Server').fill(`localhost:${server.port}`);
  await dialog.getByLabel('Security').selectOption('none');
  await dialog.getByLabel('E-mails come from').fill('shop@shop.example');
  await dialog.getByRole('button', { name: 'Set it' }).click();
  await expect(page.getByRole('row', { name: 'post, There' })).toBeVisible();
  await panel.getByLabel('Your e-mail address').fill('ann@a.example');
  await panel.getByRole('button', { name: 'Send me a mail' }).click();
  await expect(panel.getByText('It works', { exact: true })).toBeVisible();
  expect(server.got.join('')).toContain('RCPT TO:<ann@a.example>');
  await expectAccessible(page, 'connections');
  server.close();

  await panel.getByRole('button', { name: 'New value…' }).click();
  await dialog.getByLabel('What is it?').selectOption('secret');
  await dialog.getByLabel('Value').fill(SECRET);
  await dialog.getByRole('button', { name: 'Set it' }).click();
  await expect(dialog).toBeHidden();
  await panel.getByRole('button', { name: 'Send me a mail' }).click();
  await expect(panel.getByText('It does not work', { exact: true })).toBeVisible();
  expect(await page.content()).not.toContain(SECRET);

  await panel.getByRole('button', { name: 'Remove…' }).click();
  await expect(dialog).toContainText('used at 1 place');
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByRole('row', { name: 'post, Not there' })).toBeVisible();
});

test('on a phone a connection fills the window and leads back', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${engine.url}/ui/connections`);
  await page.getByRole('row', { name: 'spare, Not used' }).click();
  const panel = page.getByRole('complementary', { name: 'The connection' });
  await expect(panel.getByText('No published flow uses it.')).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
  await expectAccessible(page, 'connection-phone');
  await panel.getByRole('button', { name: 'Close the connection' }).click();
  await expect(page.getByRole('row', { name: 'spare, Not used' })).toBeVisible();
});

test('the builder says before publishing what is not there', async ({ page }) => {
  await engine.send('PUT', '/api/workflows/needy/draft', {
    ...mailing('needy', 'nobody-set-this'),
    definitionId: 'needy',
    name: 'Needy',
  });
  await page.goto(`${engine.url}/ui/builder/needy`);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const missing = page.getByRole('region', { name: 'Not there yet' });
  await expect(missing).toContainText('Nobody has set the connection “nobody-set-this”.');
  await expectAccessible(page, 'publish-missing');
  await missing.getByRole('link', { name: 'Connections' }).click();
  await expect(page.getByRole('heading', { name: 'Connections', level: 1 })).toBeVisible();
});
