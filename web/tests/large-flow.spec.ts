/* tests/large-flow.spec.ts — a flow of 300 steps: it opens where it starts, at a size that can be read; a map, a search and a list that folds
 * lead to any step in few presses. Counts of presses and of drawn elements, no times. */
import type { Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

const STEPS = 300;

/** A chain in which each tenth step is a decision with a way of its own back to the chain. */
const LONG = {
  dialect: 'graph/1',
  name: 'Long',
  nodes: Array.from({ length: STEPS }, (_, i) => ({
    id: `n${i}`,
    type: i === 0 ? 'trigger_manual' : i % 10 === 0 ? 'decision' : i === STEPS - 1 ? 'end' : 'set_variables',
    label: i === 0 ? 'Order arrives' : i === 250 ? 'Is the customer known?' : `Step ${i}`,
    ...(i > 0 && i % 10 !== 0 && i < STEPS - 1 ? { config: { values: { at: i } } } : {}),
  })),
  edges: Array.from({ length: STEPS - 1 }, (_, i) => i).flatMap((i) => [
    { from: `n${i}`, to: `n${i + 1}`, ...(i % 10 === 0 && i > 0 ? { default: true } : {}) },
    ...(i % 10 === 0 && i > 0 && i + 5 < STEPS
      ? [
          {
            from: `n${i}`,
            to: `n${i + 5}`,
            condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: i },
          },
        ]
      : []),
  ]),
};

const step = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
const zoom = (page: Page) =>
  page.evaluate(() => {
    const viewport = document.querySelector<HTMLElement>('.react-flow__viewport');
    return Number(/scale\(([\d.]+)\)/.exec(viewport?.style.transform ?? '')?.[1] ?? 0);
  });

async function isInSight(page: Page, id: string): Promise<boolean> {
  const [canvas, box] = await Promise.all([
    page.locator('[data-region="canvas"]').boundingBox(),
    step(page, id).boundingBox(),
  ]);
  if (canvas === null || box === null) return false;
  return (
    box.x >= canvas.x &&
    box.y >= canvas.y &&
    box.x + box.width <= canvas.x + canvas.width &&
    box.y + box.height <= canvas.y + canvas.height
  );
}

test.beforeAll(({ engine }) => engine.send('PUT', '/api/workflows/long/draft', LONG));

test('it opens where it starts, and two presses lead to any step', async ({ page }) => {
  await page.goto('/ui/builder/long');
  await expect(step(page, 'n0')).toContainText('Order arrives');
  expect(await zoom(page)).toBeGreaterThanOrEqual(0.5);
  expect(await isInSight(page, 'n0')).toBe(true);
  const map = page.getByRole('button', { name: /^Map of the flow/ });
  await expect(map).toBeVisible();
  await expectAccessible(page, 'flow-300');

  await page.keyboard.press('Control+f');
  await page.keyboard.insertText('CUSTOMER');
  await expect(page.getByRole('search')).toContainText('1 of 1');
  await expect.poll(() => isInSight(page, 'n250')).toBe(true);
  await page.keyboard.press('Escape');
  await expect(step(page, 'n250')).toBeFocused();

  // The middle of the map is the middle of the flow; the arrows move what is in sight.
  const box = await map.boundingBox();
  await map.click({ position: { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 } });
  await expect.poll(() => isInSight(page, 'n150')).toBe(true);
  const before = await page.locator('.react-flow__viewport').getAttribute('style');
  await map.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.react-flow__viewport')).not.toHaveAttribute('style', before ?? '');

  // Words of steps that nobody can see are not drawn.
  const drawn = await page.locator('.react-flow__node b').count();
  expect(drawn).toBeLessThan(60);
  await map.click({ position: { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) - 4 } });
  await expect.poll(() => isInSight(page, 'n297')).toBe(true);
});

test('the list of its steps folds', async ({ page }) => {
  await page.goto('/ui/builder/long?view=outline');
  const items = page.getByRole('treeitem');
  await expect(items.first()).toContainText('Order arrives');
  const all = await items.count();
  await page.getByRole('button', { name: 'Fold all', exact: true }).click();
  await expect(items).not.toHaveCount(all);
  const folded = await items.count();
  expect(folded).toBeLessThan(all - 100);
  await expect(page.getByText(`${all - folded} hidden`)).toBeVisible();
  await page.getByRole('button', { name: 'Unfold all' }).click();
  await expect(items).toHaveCount(all);
  const decision = page.locator('[role="treeitem"][data-id="n10"]');
  await decision.click();
  await page.keyboard.press('-');
  await expect(decision).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('+');
  await expect(decision).toHaveAttribute('aria-expanded', 'true');
  await expectAccessible(page, 'outline-300');
});
