/* tests/drafts.spec.ts — drafts live in Flows: found by a word, renamed with their id, copied, discarded; an older version is made the
 * current one. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';

const graph = (name: string, more: object = {}) => ({
  dialect: 'graph/1',
  name,
  nodes: [
    { id: 's', type: 'trigger_manual', label: 'Start' },
    { id: 'e', type: 'end', label: 'End' },
  ],
  edges: [{ from: 's', to: 'e' }],
  ...more,
});

test('drafts are listed with names and authors, renamed, copied and discarded', async ({ page, engine }) => {
  const ids = async () => {
    const { items } = (await engine.send('GET', '/api/workflows/drafts?pageSize=100')) as {
      items: { definitionId: string; name?: string }[];
    };
    return items.map(({ definitionId, name }) => `${definitionId}: ${name ?? ''}`);
  };
  await fetch(`${engine.url}/api/workflows/new-flow/draft`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-Actor': 'Ada' },
    body: JSON.stringify(graph('New flow')),
  });
  await engine.send('POST', '/v1/definitions', graph('Leave request', { definitionId: 'leave' }));
  await engine.send('PUT', '/api/workflows/leave/draft', graph('Leave request', { definitionId: 'leave' }));
  await page.goto('/ui/flows');
  const drafts = page.getByRole('region', { name: 'Drafts' });
  await expect(drafts.getByRole('listitem')).toHaveCount(2);
  await expect(drafts.getByRole('listitem').filter({ hasText: 'New flow' })).toContainText('by Ada');
  await expectAccessible(page, 'drafts');

  const act = async (draft: string, deed: string) => {
    await drafts.getByRole('button', { name: `More about the draft ${draft}`, exact: true }).click();
    await page.getByRole('menuitem', { name: deed }).click();
  };
  await act('New flow', 'Rename…');
  await page.getByRole('dialog').getByLabel('Name').fill('A laptop, please');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await expect(drafts.getByRole('link', { name: 'A laptop, please' })).toBeVisible();
  expect(await ids()).toEqual(['a-laptop-please: A laptop, please', 'leave: Leave request']);
  // A published flow has its id for good.
  await act('Leave request', 'Rename…');
  await page.getByRole('dialog').getByLabel('Name').fill('Holiday');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await expect(drafts.getByRole('link', { name: 'Holiday' })).toBeVisible();
  expect(await ids()).toEqual(['a-laptop-please: A laptop, please', 'leave: Holiday']);

  await act('A laptop, please', 'Duplicate');
  await expect(drafts.getByRole('link', { name: 'Copy of A laptop, please' })).toBeVisible();
  await page.getByLabel('Find flows by a part of their name').fill('LAPTOP');
  await page.keyboard.press('Enter');
  await expect(drafts.getByRole('listitem')).toHaveCount(2);
  await act('Copy of A laptop, please', 'Discard…');
  await page.getByRole('button', { name: 'Discard the draft' }).click();
  await expect(drafts.getByRole('listitem')).toHaveCount(1);
  await page.getByLabel('Find flows by a part of their name').fill('');
  await expect(page.getByRole('article').getByText('Leave request')).toBeVisible();
  expect(await ids()).toEqual(['a-laptop-please: A laptop, please', 'leave: Holiday']);
});

test('an older version is made the current one', async ({ page, engine }) => {
  for (const name of ['First words', 'Second words'])
    await engine.send('POST', '/v1/definitions', graph(name, { definitionId: 'words' }));
  await page.goto('/ui/flows/words?version=1');
  await page.getByRole('button', { name: 'Make version 1 the current one…' }).click();
  await page.getByRole('button', { name: 'Publish it as version 3' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First words');
  await expect(page.getByText('3 versions')).toBeVisible();
});

test('a text with a mistake is there again after a reload', async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/typed/draft', graph('Typed', { definitionId: 'typed' }));
  await page.goto('/ui/builder/typed?view=text');
  const text = page.getByLabel('Text of the flow');
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('half a thought');
  await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('half a thought');
  await page.reload();
  await expect(text).toContainText('half a thought');
  await text.click();
  await page.keyboard.press('Control+End');
  for (let letter = 0; letter < 'half a thought'.length; letter++) await page.keyboard.press('Backspace');
  await page.reload();
  await expect(text).toContainText('Typed');
  await expect(text).not.toContainText('half a thought');
});
