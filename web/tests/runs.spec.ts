/* tests/runs.spec.ts — runs by what holds them, from one to the next, a signal for many, and a run as a test that passes. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expectAccessible } from './axe';
import { BINARY, type Engine, expect, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

const ORDER = {
  id: 'order',
  name: 'Order',
  steps: [
    {
      id: 'check',
      name: 'Check',
      type: 'TRANSFORMATION',
      transformations: { ok: 'true' },
      nextStep: 'goods',
    },
    { id: 'goods', name: 'Goods received', type: 'WAIT', nextStep: 'sign' },
    { id: 'sign', name: 'Contract signed', type: 'WAIT', nextStep: 'end' },
    { id: 'end', name: 'Done', type: 'END' },
  ],
};

let largeId = '';

async function startOrder(engine: Engine, key: string): Promise<string> {
  const answer = await engine.send('POST', '/v1/instances', { definitionId: 'order', businessKey: key });
  return String(Reflect.get(Object(answer), 'id'));
}

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', INVOICE);
  await engine.send('POST', '/v1/definitions', ORDER);
  for (let number = 1; number <= 3; number++) await startInvoice(engine, `INV-${number}`, 100 + number);
  largeId = await startInvoice(engine, 'INV-LARGE', 5000);
  for (let number = 1; number <= 5; number++) {
    const id = await startOrder(engine, `ORD-${number}`);
    if (number === 5) await engine.send('POST', `/v1/instances/${id}/signals/goods`, {});
  }
  await expect
    .poll(async () => JSON.stringify(await engine.send('GET', '/api/instances?status=failed')))
    .toContain('INV-3');
});

test('runs are grouped by what holds them; a group opens and leads on', async ({ page }) => {
  await page.goto('/ui/runs');
  await page.getByRole('button', { name: 'By what holds them' }).click();
  await expect(page).toHaveURL(/group=held/);
  const groups = page.getByRole('list', { name: 'Runs by what holds them' });
  await expect(groups.getByRole('button', { expanded: false })).toHaveCount(4);
  const failed = groups.getByRole('button', { name: /^Failed/ });
  await expect(failed).toContainText('3');
  await failed.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: 'INV-2', exact: true })).toBeVisible();
  await expectAccessible(page, 'runs-grouped');
  await page.keyboard.press('j');
  await expect(groups.getByRole('button', { name: /^Waits for a person/ })).toBeFocused();
  await groups.getByRole('link', { name: 'Retry…' }).click();
  await expect(page.getByRole('button', { name: 'Retry 3 runs' })).toBeEnabled();
});

test('from a run to the next one of the list and back to the list', async ({ page }) => {
  await page.goto('/ui/runs?status=failed');
  await expect(page.getByRole('row', { name: 'INV-3', exact: true })).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('row', { name: 'INV-3', exact: true })).toBeFocused();
  await page.keyboard.press('j');
  await expect(page.getByRole('row', { name: 'INV-2', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('INV-2');
  await expect(page.getByText('2 of 3')).toBeVisible();
  await page.keyboard.press('j');
  await expect(heading).toHaveText('INV-1');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await expect(heading).toHaveText('INV-3');
  await page.goBack();
  await expect(page).toHaveURL(/runs\?status=failed$/);
});

test('a signal for many: the step is chosen in the picture, counted first, told one by one', async ({
  page,
}) => {
  await page.goto('/ui/runs?definitionId=order');
  await page.getByRole('button', { name: 'Send a signal…' }).click();
  const side = page.getByRole('complementary', { name: 'Preview' });
  await expect(side.getByRole('button', { name: 'Choose the step' })).toBeDisabled();
  const picture = side.getByRole('group', { name: /Picture of the flow/ });
  await expect(picture.getByRole('button')).toHaveCount(2); // Only steps that wait for a signal.
  await picture.getByRole('button', { name: /^Contract signed/ }).click();
  await expect(side.getByRole('button', { name: 'Signal 1 run', exact: true })).toBeEnabled();
  await side.getByRole('radio', { name: 'Goods received' }).check();
  await expect(side.getByRole('button', { name: 'Signal 4 runs' })).toBeEnabled();
  await side.getByRole('textbox').fill('{"received": true');
  await expect(side.getByRole('button', { name: 'Signal 4 runs' })).toBeDisabled();
  await side.getByRole('textbox').fill('{"received": true}');
  await expectAccessible(page, 'runs-signal');
  await side.getByRole('button', { name: 'Signal 4 runs' }).click();
  await expect(side).toContainText('4 of 4 runs: 4 done');
  await expect(side.getByRole('listitem')).toHaveCount(4);
  await expect(page.getByText('“Contract signed” waits for a signal.')).toHaveCount(5);
});

test('runs that failed are found by a part of the reason and by the name of the step, and given up', async ({
  page,
  engine,
}) => {
  await page.goto('/ui/runs');
  await page.getByRole('button', { name: 'Add a filter' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Failed because of something with').fill('LEDGER');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByText('No run fits')).toBeVisible();
  await page.getByRole('button', { name: 'Remove: Failed because of something with LEDGER' }).click();
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await dialog.getByLabel('Failed at step').fill('post to LEDGER');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('row', { name: 'INV-1', exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: 'INV-LARGE', exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Retry…' }).click();
  const side = page.getByRole('complementary', { name: 'Preview' });
  await side.getByText('Change their data first').click();
  await side.getByRole('textbox').fill('{"checked": true}');
  await expect(side.getByRole('button', { name: 'Retry 3 runs' })).toBeEnabled();
  await expectAccessible(page, 'runs-retry');
  await side.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('checkbox', { name: 'Select INV-1', exact: true }).check();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await side.getByRole('button', { name: 'Cancel 1 run', exact: true }).click();
  await expect(side).toContainText('1 of 1 run: 1 done');
  const cancelled = await engine.send('GET', '/api/instances?businessKey=INV-1&status=cancelled');
  expect(Reflect.get(Object(cancelled), 'items')).toHaveLength(1);
});

test('a step that was not reached says so, and the run as a test passes', async ({ page, engine }) => {
  await page.goto(`/ui/runs/${largeId}`);
  await page
    .getByRole('group', { name: /Picture of the run/ })
    .getByRole('button', { name: /^Declined/ })
    .press('Enter');
  await expect(page).toHaveURL(/step=declined/);
  await expect(page.getByText('The run has not come to this step yet.')).toBeVisible();
  await expectAccessible(page, 'run-not-reached');
  await page.getByRole('list', { name: 'What leads to it' }).getByRole('button').click();
  await expect(page.getByRole('region', { name: 'Went in' })).toBeVisible();

  const task = /"id":"([^"]+)"/.exec(
    JSON.stringify(await engine.send('GET', `/api/tasks?instanceId=${largeId}`)),
  )?.[1];
  await engine.send('POST', `/api/tasks/${task ?? ''}/complete`, {
    by: 'ada',
    groups: ['accounting'],
    decision: 'decline',
  });
  await expect(page.getByText('Done', { exact: true })).toBeVisible();
  const directory = await mkdtemp(join(tmpdir(), 'pawl-web-'));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the run as a test' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('INV-LARGE.scenario.json');
  const file = join(directory, 'run.scenario.json');
  await download.saveAs(file);
  const { stdout } = await promisify(execFile)(BINARY, ['test', file]);
  expect(stdout).toContain('1 passed, 0 failed');
  await rm(directory, { recursive: true });
});

/** Each run computes for about 30 ms after its signal: a command for many of them takes seconds. */
const SLOW = {
  id: 'slow',
  name: 'Slow',
  steps: [
    { id: 'go', name: 'Go', type: 'WAIT', nextStep: 'work' },
    {
      id: 'work',
      name: 'Work',
      type: 'TRANSFORMATION',
      transformations: Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [`n${at}`, '${count(1..9000, # > 1)}']),
      ),
      nextStep: 'rest',
    },
    { id: 'rest', name: 'Rest', type: 'WAIT', nextStep: 'end' },
    { id: 'end', name: 'Done', type: 'END' },
  ],
};
const SLOW_RUNS = 300;

test('a command for many is stopped: what is done stays done, the rest is not touched', async ({
  page,
  engine,
}) => {
  await engine.send('POST', '/v1/definitions', SLOW);
  for (let number = 1; number <= SLOW_RUNS; number++)
    await engine.send('POST', '/v1/instances', { definitionId: 'slow' });
  await page.goto('/ui/runs?definitionId=slow');
  await page.getByRole('button', { name: 'Send a signal…' }).click();
  const side = page.getByRole('complementary', { name: 'Preview' });
  await side.getByRole('radio', { name: 'Go' }).check();
  await side.getByRole('button', { name: `Signal ${SLOW_RUNS} runs` }).click();
  const stop = side.getByRole('button', { name: 'Stop' });
  await stop.focus();
  await page.keyboard.press('Enter');
  await expect(side).toContainText('Stopped.');
  await expect(stop).toHaveCount(0);
  const text = await side.innerText();
  const done = Number(/(\d+) of 300 runs/.exec(text)?.[1]);
  expect(done).toBeLessThan(SLOW_RUNS);
  expect(text).toContain(`${SLOW_RUNS - done} were not touched`);
  await expectAccessible(page, 'runs-stopped');
  // Neither more nor less has had the signal.
  const waitsAt = async (step: string) => {
    const preview = { action: 'signal', step, filter: { definitionId: 'slow', step }, dryRun: true };
    return Number(Reflect.get(Object(await engine.send('POST', '/v1/bulk', preview)), 'found'));
  };
  expect(await waitsAt('rest')).toBe(done);
  expect(await waitsAt('go')).toBe(SLOW_RUNS - done);
});
