/* tests/long-run.spec.ts — a run with 49,000 visits: its page opens where it is now, leads back page by page, and asks for
 * no more than a page at a time. */
import { expect, test } from './engine';

const ROUNDS = 5_000;
const SIGNALS = 5;
const VISITS = 2 + SIGNALS * (2 * (ROUNDS - 100) + 1);
const PAGE = 100;
const BYTES_MAX = 100_000;

let runId = '';

test.beforeAll(async ({ engine }) => {
  const each = ROUNDS - 100;
  await engine.send('POST', '/v1/definitions', {
    id: 'round',
    name: 'Round and round',
    steps: [
      {
        id: 'first',
        name: 'First of all',
        type: 'TRANSFORMATION',
        transformations: { n: '0' },
        nextStep: 'rest',
      },
      { id: 'rest', name: 'Rest', type: 'WAIT', nextStep: 'count' },
      {
        id: 'count',
        name: 'Count',
        type: 'TRANSFORMATION',
        transformations: { n: '${n + 1}' },
        nextStep: 'more',
      },
      {
        id: 'more',
        name: 'More?',
        type: 'DECISION',
        conditionalNextSteps: { 'n < 0': 'end', [`n % ${each} == 0`]: 'rest', [`n % ${each} != 0`]: 'count' },
      },
      { id: 'end', name: 'End', type: 'END' },
    ],
  });
  const run = await engine.send('POST', '/v1/instances', { definitionId: 'round' });
  runId = String(Reflect.get(Object(run), 'id'));
  for (let at = 0; at < SIGNALS; at++) await engine.send('POST', `/v1/instances/${runId}/signals/rest`, {});
});

test('its page opens where the run is now and leads back', async ({ page }) => {
  const answers: number[] = [];
  page.on('response', (response) => {
    if (!response.url().includes(`/api/instances/${runId}`)) return;
    void response.body().then(
      (body) => answers.push(body.length),
      () => undefined,
    );
  });
  await page.goto(`/ui/runs/${runId}`);
  const rows = page.locator('[data-rove-list] [data-rove]');
  await expect(rows).toHaveCount(PAGE);
  await expect(page.getByRole('heading', { name: 'Rest', exact: true })).toBeVisible();
  await expect(page.getByText(`visit ${VISITS}`)).toBeVisible();
  await expect(rows.last()).toContainText('Rest');
  await expect(rows.last()).toHaveAttribute('aria-pressed', 'true');

  for (const pages of [2, 3]) {
    await page.getByRole('button', { name: 'Earlier visits' }).click();
    await expect(rows).toHaveCount(pages * PAGE);
  }
  await expect(rows.last()).toHaveAttribute('aria-pressed', 'true');

  // A step of the beginning is known without any of the pages between.
  const picture = page.getByRole('group', { name: /Picture of the run/ });
  await picture.getByRole('button', { name: /^First of all/ }).click();
  await expect(page.getByRole('heading', { name: 'First of all', exact: true })).toBeVisible();
  await expect(page.getByText('not reached')).toHaveCount(0);
  await expect(page.getByText('Count', { exact: true }).first()).toBeVisible();
  expect(Math.max(...answers)).toBeLessThan(BYTES_MAX);
});
