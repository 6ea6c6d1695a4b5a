/* tests/canvas.spec.ts — the builder's canvas: the condition at its line, names and pluses that leave each other readable, what is in
 * sight when the test opens, tidying up, hostile names. */
import type { Locator, Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { type Engine, expect, test } from './engine';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const step = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
const popover = (page: Page) => page.getByRole('dialog', { name: 'When to go this way' });
const save = async (engine: Engine, id: string, flow: object) =>
  engine.send('PUT', `/api/workflows/${id}/draft`, { dialect: 'graph/1', ...flow });
const open = async (page: Page, id: string, first: string) => {
  await page.goto(`/ui/builder/${id}`);
  await expect(step(page, first)).toBeVisible();
};

const INVOICE = {
  name: 'Invoice',
  settings: {
    inputSchema: {
      type: 'object',
      properties: {
        amount: { type: 'number', title: 'Amount' },
        urgent: { type: 'boolean', title: 'Urgent' },
      },
    },
  },
  nodes: [
    { id: 's', type: 'trigger_manual', label: 'Invoice arrives' },
    { id: 'd', type: 'decision', label: 'How much?' },
    {
      id: 'h',
      type: 'human_task',
      label: 'Ask the manager',
      config: { title: 'May we pay?', decisions: ['approve', 'decline'], timeout: 'P2D' },
    },
    { id: 'p', type: 'action_http', label: 'Pay', config: { url: 'http://127.0.0.1:1/pay', method: 'POST' } },
    { id: 'm', type: 'action_email', label: 'Remind', config: { to: ['m@example.org'], subject: 'Please' } },
    { id: 'g', type: 'parallel', label: 'Both' },
    { id: 'x', type: 'end', label: 'Paid' },
    { id: 'y', type: 'end', label: 'Declined' },
  ],
  edges: [
    { id: 'e1', from: 's', to: 'd' },
    {
      id: 'e2',
      from: 'd',
      to: 'h',
      condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1000 },
    },
    { id: 'e3', from: 'd', to: 'p', default: true },
    { id: 'e4', from: 'h', to: 'p', fromPort: 'approve' },
    { id: 'e5', from: 'h', to: 'y', fromPort: 'decline' },
    { id: 'e6', from: 'h', to: 'm', fromPort: 'timeout' },
    { id: 'e7', from: 'm', to: 'h' },
    { id: 'e8', from: 'p', to: 'g' },
    { id: 'e9', from: 'g', to: 'x' },
    { id: 'e10', from: 'd', to: 'h', condition: { left: '{{ trigger.payload.urgent }}', op: 'is_true' } },
  ],
};

const boxesOf = async (page: Page, target: Locator): Promise<readonly Box[]> => {
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
  const boxes = await Promise.all((await target.all()).map(async (each) => each.boundingBox()));
  return boxes.filter((box) => box !== null);
};
const touch = (a: Box, b: Box) =>
  a.x + 1 < b.x + b.width && b.x + 1 < a.x + a.width && a.y + 1 < b.y + b.height && b.y + 1 < a.y + a.height;

/** Names and pluses of lines that cover each other or a step. */
async function covered(page: Page): Promise<number> {
  const names = await boxesOf(page, page.locator('.react-flow__edgelabel-renderer button:not([data-line])'));
  const pluses = await boxesOf(page, page.locator('.react-flow__edgelabel-renderer button[data-line]'));
  const steps = await boxesOf(page, page.locator('.react-flow__node-step'));
  const marks = [...names, ...pluses];
  let count = 0;
  marks.forEach((mark, i) => {
    count += marks.slice(i + 1).filter((other) => touch(mark, other)).length;
    count += steps.filter((other) => touch(mark, other)).length;
  });
  return count;
}

test('the condition of a line opens at the line', async ({ page, engine }) => {
  await save(engine, 'lines', INVOICE);
  await open(page, 'lines', 'd');
  await page.getByRole('button', { name: 'Amount over 1,000' }).click();
  await expect(popover(page)).toBeVisible();
  await expect(popover(page).getByLabel('Row 1: field')).toBeFocused();
  await expect(popover(page)).toContainText('Otherwise it takes the other line, to Pay');
  await expectAccessible(page, 'builder-line');
  await popover(page).getByLabel('Row 1: value').fill('2000');
  await popover(page).getByRole('button', { name: 'Add a row' }).click();
  await popover(page).getByRole('button', { name: 'any fit' }).click();
  await popover(page).getByLabel('Row 2: field').selectOption({ label: 'Urgent' });
  await expect(page.getByRole('button', { name: 'Amount over 2,000 or Urgent is yes' })).toBeVisible();
  await popover(page).getByRole('button', { name: 'Next way' }).click();
  await expect(popover(page).getByRole('checkbox')).toBeChecked();
  await expect(popover(page)).toContainText('Go this way otherwise');
  await page.keyboard.press('Escape');
  await expect(popover(page)).toHaveCount(0);
  await expect(step(page, 'd')).toBeFocused();
  // By keyboard: the lines of the step with the focus.
  await page.keyboard.press('l');
  await expect(popover(page).getByLabel('Row 1: field')).toBeFocused();
  await page.keyboard.press('Escape');
  // A plus opens the list of steps, and its line stays as it is.
  await page.getByRole('button', { name: 'Add a step here' }).first().click();
  await expect(page.getByRole('combobox', { name: 'Find a step' })).toBeFocused();
  await page.keyboard.press('Escape');
  // Split & Wait takes every line: there is nothing to ask.
  await step(page, 'g').focus();
  await page.keyboard.press('l');
  await expect(page.getByText('Split & Wait takes every line.')).toBeVisible();
  await expect(popover(page)).toHaveCount(0);
});

test('names and pluses of lines cover neither each other nor steps', async ({ page, engine }) => {
  await save(engine, 'marks', INVOICE);
  await open(page, 'marks', 'd');
  await expect(page.getByRole('button', { name: 'Urgent is yes' })).toBeVisible();
  expect(await covered(page)).toBe(0);
  await page.screenshot({ path: 'test-results/canvas-marks.png' });
  // The engine's own layout, too.
  await page.getByRole('button', { name: 'Tidy up' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Tidied up' })).toBeAttached();
  await page.screenshot({ path: 'test-results/canvas-tidied.png' });
  expect(await covered(page)).toBe(0);
});

async function inSight(page: Page, ids: readonly string[]): Promise<readonly string[]> {
  const stage = await page.locator('.react-flow').boundingBox();
  const out: string[] = [];
  for (const id of ids) {
    const box = await step(page, id).boundingBox();
    if (stage === null || box === null) out.push(id);
    else if (
      box.x < stage.x ||
      box.y < stage.y ||
      box.x + box.width > stage.x + stage.width ||
      box.y + box.height > stage.y + stage.height
    )
      out.push(id);
  }
  return out;
}

test('all of it stays in sight when the test opens, and what is chosen always', async ({ page, engine }) => {
  await save(engine, 'fits', INVOICE);
  await open(page, 'fits', 'd');
  const ids = INVOICE.nodes.map(({ id }) => id);
  await expect.poll(() => inSight(page, ids)).toEqual([]);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Run the test' })).toBeVisible();
  await expect.poll(() => inSight(page, ids)).toEqual([]);
  await expectAccessible(page, 'builder-test');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Run the test' })).toHaveCount(0);
  // Somebody who zooms has chosen what to see; only what is chosen is brought back.
  await step(page, 'x').click();
  for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'Closer' }).click();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Run the test' })).toBeVisible();
  await expect.poll(() => inSight(page, ['x'])).toEqual([]);
});

test('tidying up is one step that can be taken back; otherwise places are kept', async ({ page, engine }) => {
  await save(engine, 'tidy', INVOICE);
  await open(page, 'tidy', 'd');
  const box = async (id: string) =>
    (await step(page, id).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const from = await box('p');
  await page.mouse.move(from.x + 60, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(from.x + 160, from.y + 60, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByRole('status').filter({ hasText: 'Moved “Pay”' })).toBeAttached();
  const moved = await box('p');
  expect(moved.x).toBeGreaterThan(from.x + 50);
  // A new step moves none that stand.
  await step(page, 'p').press('a');
  await page.keyboard.type('wait');
  await page.keyboard.press('Enter');
  await expect(page.locator('.react-flow__node')).toHaveCount(INVOICE.nodes.length + 1);
  const kept = async () => {
    const [a, b] = [await box('p'), await box('s')];
    return [Math.round(a.x - b.x), Math.round(a.y - b.y)];
  };
  const before = await kept();
  await page.getByRole('button', { name: 'Tidy up' }).click();
  await expect.poll(kept).not.toEqual(before);
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('status').filter({ hasText: 'Taken back: Tidied up' })).toBeAttached();
  await page.getByTitle('Show all of it').click();
  await page.keyboard.press('Control+s');
  await page.reload();
  await expect(step(page, 'p')).toBeVisible();
});

const MARKUP = '<img src=x onerror=alert(1)>';
const LONG = 'W'.repeat(200);
const RIGHT_TO_LEFT = 'مرحبا بالعالم، هذا طلب جديد';
const EMOJI = '🦊🧾👩‍👩‍👧';

test('hostile names are text and stay in their boxes', async ({ page, engine }) => {
  const nodes = [
    { id: 's', type: 'trigger_manual', label: EMOJI },
    { id: 'd', type: 'decision', label: RIGHT_TO_LEFT },
    { id: 'l', type: 'for_each', label: LONG, config: { items: '{{ trigger.payload.list }}' } },
    { id: 'i', type: 'action_http', label: RIGHT_TO_LEFT, parent: 'l' },
    { id: 'b', type: 'human_task', label: MARKUP, config: { title: LONG } },
    { id: 'e', type: 'end', label: LONG },
  ];
  const edges = [
    { id: '1', from: 's', to: 'd' },
    { id: '2', from: 'd', to: 'l', label: LONG },
    { id: '3', from: 'd', to: 'b', default: true, label: RIGHT_TO_LEFT },
    { id: '4', from: 'l', to: 'e', fromPort: 'done', label: MARKUP },
    { id: '5', from: 'b', to: 'e', label: EMOJI },
    { id: '6', from: 'l', to: 'i', fromPort: 'body' },
  ];
  await save(engine, 'names', { name: LONG, nodes, edges });
  await open(page, 'names', 's');
  await expect(page.getByRole('button', { name: EMOJI, exact: true })).toBeVisible();
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('.react-flow__node, .react-flow__edgelabel-renderer button')]
      .filter(
        (each) => each.scrollWidth > each.clientWidth + 24 && getComputedStyle(each).overflow !== 'hidden',
      )
      .map((each) => each.textContent.slice(0, 30)),
  );
  expect(wide).toEqual([]);
  expect(await page.locator('.react-flow img').count()).toBe(0);
  await page.getByRole('button', { name: LONG, exact: true }).first().click();
  await expect(popover(page)).toBeVisible();
  await expectAccessible(page, 'canvas-names');
});
