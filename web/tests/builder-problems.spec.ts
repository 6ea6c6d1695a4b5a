/* tests/builder-problems.spec.ts — what only the author can choose: a problem of the draft says it in the words of the builder and
 * leads to the place where it is chosen. Nobody who sees the canvas reads of fields of its text. */
import type { Page } from '@playwright/test';

import { type Engine, expect, test } from './engine';

const WHEN = { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1 };
const NODES = [
  { id: 's', type: 'trigger_manual', label: 'Somebody asks' },
  { id: 'x', type: 'end', label: 'Paid' },
  { id: 'y', type: 'end', label: 'Declined' },
];
const CHOICE = {
  nodes: [...NODES, { id: 'd', type: 'decision', label: 'How much?' }],
  edges: [
    { from: 's', to: 'd' },
    { from: 'd', to: 'x', condition: WHEN },
    { from: 'd', to: 'y', condition: { ...WHEN, op: 'lt' } },
  ],
};
const asking = (decisions: unknown, edges: readonly object[]) => ({
  nodes: [...NODES, { id: 'h', type: 'human_task', label: 'Ask', config: { title: 'May we?', decisions } }],
  edges: [{ from: 's', to: 'h' }, ...edges],
});

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly fromPort?: string;
  readonly default?: boolean;
}

const panel = (page: Page) => page.locator('#builder-panel');
const step = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

async function open(page: Page, engine: Engine, id: string, flow: object) {
  await engine.send('PUT', `/api/workflows/${id}/draft`, { dialect: 'graph/1', name: id, ...flow });
  await page.goto(`/ui/builder/${id}`);
  await expect(step(page, 's')).toBeVisible();
}

async function edgesOf(page: Page, id: string): Promise<readonly Edge[]> {
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^(saved|gespeichert) /)).toBeVisible();
  const response = await page.request.get(`/api/workflows/${id}/draft`);
  return ((await response.json()) as { document: { edges: readonly Edge[] } }).document.edges;
}

test('the way of a decision that is taken when nothing matches', async ({ page, engine }) => {
  await open(page, engine, 'choice', CHOICE);
  await page.getByRole('button', { name: /^1 problem/ }).click();
  const list = page.getByRole('dialog', { name: 'Problems' });
  await expect(list).toContainText('Choose which way is taken when nothing matches.');
  await expect(list).not.toContainText('"default"');
  await list.getByRole('button', { name: 'Choose the way' }).click();
  await expect(list).toHaveCount(0);
  const otherwise = page.getByRole('checkbox', { name: 'Only when no other way fits' });
  await expect(otherwise).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: /^\d+ problem/ })).toHaveCount(0);
  expect(await edgesOf(page, 'choice')).toContainEqual({ from: 'd', to: 'y', default: true });
});

test('it leads there from the refusal to publish, too', async ({ page, engine }) => {
  await open(page, engine, 'refused', CHOICE);
  await expect(page.getByRole('button', { name: /^1 problem/ })).toBeVisible();
  await page.getByRole('button', { name: /^Publish/ }).click();
  const refusal = page.getByRole('dialog', { name: /^Not yet/ });
  await expect(refusal).not.toContainText('"default"');
  await refusal.getByRole('button', { name: 'Choose the way' }).click();
  await expect(page.getByRole('checkbox', { name: 'Only when no other way fits' })).toBeFocused();
});

test('an answer without a line', async ({ page, engine }) => {
  await open(page, engine, 'open', asking(['yes', 'no'], [{ from: 'h', fromPort: 'yes', to: 'x' }]));
  await step(page, 'h').click();
  const note = panel(page).getByRole('group', { name: 'Problem' });
  await expect(note.first()).toContainText('Choose where it leads.');
  await expect(panel(page)).not.toContainText('"default"');
  await note.first().getByRole('button', { name: 'Choose where it leads' }).click();
  await expect(panel(page).getByLabel('If the answer is no', { exact: true })).toBeFocused();
  await panel(page).getByLabel('Any other answer', { exact: true }).selectOption('y');
  await expect(note.filter({ hasText: 'no line of its own' })).toHaveCount(0);
  expect(await edgesOf(page, 'open')).toContainEqual({ from: 'h', to: 'y', default: true });
});

test('answers that only a run knows', async ({ page, engine }) => {
  await open(page, engine, 'unknown', asking('{{ trigger.payload.options }}', [{ from: 'h', to: 'x' }]));
  await step(page, 'h').click();
  const note = panel(page)
    .getByRole('group', { name: 'Problem' })
    .filter({ hasText: 'known only while it runs' });
  await expect(note).toContainText('Choose where any other answer leads.');
  await note.getByRole('button', { name: 'Any other answer leads to Paid' }).click();
  await expect(note).toHaveCount(0);
  expect(await edgesOf(page, 'unknown')).toContainEqual({ from: 'h', to: 'x', default: true });
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });
  test('the words are those of the editor, too', async ({ page, engine }) => {
    await open(page, engine, 'wahl', CHOICE);
    await step(page, 'd').click();
    const note = panel(page).getByRole('group', { name: 'Problem' });
    await expect(note).toContainText('Wählen Sie, welcher Weg gilt, wenn nichts passt.');
    await expect(note).not.toContainText('"default"');
    await note.getByRole('button', { name: 'Weg wählen' }).click();
    await expect(page.getByRole('checkbox', { name: 'Nur wenn kein anderer Weg passt' })).toBeFocused();
  });
});
