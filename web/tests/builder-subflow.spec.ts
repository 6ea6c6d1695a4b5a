/* tests/builder-subflow.spec.ts — a step that runs another flow: chosen by its name, tested, published, and its run opened from the
 * run that started it. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';

test('a flow runs another one, and their runs lead to each other', async ({ page, engine }) => {
  await engine.send('POST', '/api/workflows', {
    dialect: 'graph/1',
    definitionId: 'price',
    name: 'Find the price',
    nodes: [
      { id: 't', type: 'trigger_manual' },
      { id: 'e', type: 'end', config: { result: { price: 12 } } },
    ],
    edges: [{ from: 't', to: 'e' }],
  });
  const panel = page.locator('#builder-panel');
  await page.goto('/ui/builder');
  await page.getByRole('button', { name: /Start from scratch/ }).click();
  await page.getByRole('button', { name: 'Add a step here' }).first().click();
  await page.getByRole('option', { name: 'Run another flow' }).click();
  await panel.getByLabel('Flow', { exact: true }).fill('price');
  await expect(panel.getByRole('link', { name: 'Open Find the price' })).toBeVisible();
  await panel.getByLabel('Version', { exact: true }).selectOption('A certain one');
  await expect(panel.getByLabel('Number of the version')).toHaveValue('1');
  await expectAccessible(page, 'builder-subflow');
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^saved /)).toBeVisible();
  const id = page.url().split('/').at(-1)?.split('?')[0] ?? '';
  const draft = (await (await page.request.get(`/api/workflows/${id}/draft`)).json()) as {
    document: { nodes: readonly { type: string; config?: unknown }[] };
  };
  expect(draft.document.nodes.find(({ type }) => type === 'action_subflow')?.config).toEqual({
    definition: 'price',
    version: 1,
  });
  await engine.send('POST', '/api/workflows', draft.document);
  const { instanceId } = (await engine.send('POST', `/api/workflows/${id}/start`, { input: {} })) as {
    instanceId: string;
  };
  await page.goto(`/ui/runs/${instanceId}`);
  await page.getByRole('button', { name: /^Related runs/ }).click();
  await page.getByRole('link', { name: 'price' }).click();
  await expect(page).not.toHaveURL(new RegExp(instanceId));
  await page.getByRole('button', { name: /^Related runs/ }).click();
  await expect(page.getByRole('link', { name: instanceId })).toBeVisible();
});
