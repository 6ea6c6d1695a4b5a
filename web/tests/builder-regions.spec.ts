/* tests/builder-regions.spec.ts — F6 goes from part to part of the builder and Shift+F6 goes back, in every view. On the canvas the
 * chosen step has the focus, is in sight, and takes the arrow keys at once. */
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './engine';

const FLOW = {
  dialect: 'graph/1',
  name: 'Leave',
  nodes: [
    { id: 's', type: 'trigger_manual', label: 'Somebody asks' },
    { id: 'd', type: 'decision', label: 'How long?' },
    { id: 'v', type: 'set_variables', label: 'Note it', config: { values: { at: 1 } } },
    { id: 'x', type: 'end', label: 'Done' },
  ],
  edges: [
    { from: 's', to: 'd' },
    { from: 'd', to: 'v', condition: { left: '{{ trigger.payload.days }}', op: 'gt', right: 3 } },
    { from: 'd', to: 'x', default: true },
    { from: 'v', to: 'x' },
  ],
};

const step = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
const palette = (page: Page) => page.getByRole('navigation', { name: 'Steps that can be added' });
const panel = (page: Page) => page.locator('#builder-panel');

/* The focus is in the part, on something that shows it. */
async function expectFocusIn(part: Locator) {
  const focused = part.locator(':focus');
  await expect(focused).toHaveCount(1);
  await expect(focused).toBeInViewport();
  expect(await focused.evaluate((element) => element.matches(':focus-visible'))).toBe(true);
}

async function expectFocusOn(target: Locator) {
  await expect(target).toBeFocused();
  await expect(target).toBeInViewport({ ratio: 1 });
  expect(await target.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
}

test.beforeAll(({ engine }) => engine.send('PUT', '/api/workflows/leave/draft', FLOW));

test('F6 goes through the parts of the canvas view, and Shift+F6 the other way', async ({ page }) => {
  await page.goto('/ui/builder/leave');
  await expect(step(page, 's')).toBeVisible();
  await page.keyboard.press('F6');
  await expectFocusIn(palette(page));
  await page.keyboard.press('F6');
  await expectFocusOn(step(page, 's'));
  await page.keyboard.press('ArrowRight');
  await expectFocusOn(step(page, 'd'));
  await expect(panel(page).getByLabel('Name of the step')).toHaveValue('How long?');
  await page.keyboard.press('F6');
  await expectFocusIn(panel(page));
  await page.keyboard.press('F6');
  await expectFocusIn(palette(page));

  await page.keyboard.press('Shift+F6');
  await expectFocusIn(panel(page));
  await page.keyboard.press('Shift+F6');
  // The step that was chosen, not the first one.
  await expectFocusOn(step(page, 'd'));
  await page.keyboard.press('ArrowLeft');
  await expectFocusOn(step(page, 's'));
  await page.keyboard.press('Shift+F6');
  await expectFocusIn(palette(page));

  // From the page's own bar it goes to the part that follows, and back to the last one.
  const test_ = page.getByRole('button', { name: 'Test', exact: true });
  await test_.focus();
  await page.keyboard.press('Shift+F6');
  await expectFocusIn(panel(page));
});

test('F6 passes the test while it is open, and begins beside a line whose condition is open', async ({
  page,
}) => {
  await page.goto('/ui/builder/leave');
  await step(page, 'd').click();
  await page.keyboard.press('l');
  const popover = page.getByRole('dialog', { name: 'When to go this way' });
  await expectFocusIn(popover);
  await page.keyboard.press('F6');
  await expectFocusIn(panel(page));
  await popover.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Shift+F6');
  await expectFocusOn(step(page, 's'));

  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const drawer = page.getByRole('region', { name: 'Test', exact: true });
  await expect(drawer).toBeVisible();
  await step(page, 'd').click();
  await page.keyboard.press('F6');
  await expectFocusIn(panel(page));
  await page.keyboard.press('F6');
  await expectFocusIn(drawer);
  await page.keyboard.press('F6');
  await expectFocusIn(palette(page));
});

test('F6 shows the chosen step again if somebody moved the canvas away from it', async ({ page }) => {
  await page.goto('/ui/builder/leave');
  await step(page, 'd').click();
  await palette(page).getByRole('button').first().focus();
  const canvas = page.locator('[data-region="canvas"]');
  const box = await canvas.boundingBox();
  if (box === null) throw new Error('there is no canvas');
  await page.mouse.move(box.x + 20, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + 10 * box.height, { steps: 4 });
  await page.mouse.up();
  await expect(step(page, 'd')).not.toBeInViewport();
  await page.keyboard.press('F6');
  await page.keyboard.press('F6');
  await expectFocusOn(step(page, 'd'));
  expect(await canvas.locator('.react-flow').evaluate((element) => element.scrollTop)).toBe(0);
  await page.keyboard.press('ArrowLeft');
  await expectFocusOn(step(page, 's'));
});

test('F6 reaches outline and text, and leads on from them', async ({ page }) => {
  await page.goto('/ui/builder/leave?view=outline');
  await expect(page.getByRole('treeitem').first()).toBeVisible();
  await page.keyboard.press('F6');
  await page.keyboard.press('F6');
  await expectFocusOn(page.getByRole('treeitem').first());
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('treeitem').nth(1)).toBeFocused();

  await page.goto('/ui/builder/leave?view=text');
  const text = page.getByRole('textbox', { name: 'Text of the flow' });
  await expect(text).toBeVisible();
  await page.keyboard.press('F6');
  await expectFocusIn(palette(page));
  await page.keyboard.press('F6');
  await expect(text).toBeFocused();
  await page.keyboard.press('F6');
  await expectFocusIn(panel(page));
  await page.keyboard.press('Shift+F6');
  await expect(text).toBeFocused();
  await page.keyboard.press('Shift+F6');
  await expectFocusIn(palette(page));
});
