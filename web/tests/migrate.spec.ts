/* tests/migrate.spec.ts — living runs go on with a new version, from the page that compares two: looked at first, led from steps that are
 * gone, paused, brought back. */
import { expectAccessible } from './axe';
import { expect, test } from './engine';

const RUNS = 24;
const AT_SHIP = 8;

const wait = (id: string, name: string, nextStep: string) => ({ id, name, type: 'WAIT', nextStep });
const order = (more: readonly object[]) => ({
  id: 'order',
  name: 'Order',
  steps: [...more, { id: 'end', name: 'End', type: 'END' }],
});

test.beforeAll(async ({ engine }) => {
  await engine.send(
    'POST',
    '/v1/definitions',
    order([wait('check', 'Check', 'ship'), wait('ship', 'Ship', 'end')]),
  );
  for (let at = 0; at < RUNS; at++) {
    const run = await engine.send('POST', '/v1/instances', { definitionId: 'order', businessKey: `A-${at}` });
    const id = String(Reflect.get(Object(run), 'id'));
    if (at < AT_SHIP) await engine.send('POST', `/v1/instances/${id}/signals/check`, {});
  }
  await engine.send(
    'POST',
    '/v1/definitions',
    order([
      wait('check', 'Check', 'deliver'),
      wait('deliver', 'Deliver', 'thank'),
      wait('thank', 'Thank', 'end'),
    ]),
  );
});

test('two versions are compared, and living runs are brought along and back', async ({ page, engine }) => {
  const versions = async () => {
    const { items } = (await engine.send('GET', '/v1/instances?definitionId=order&pageSize=100')) as {
      items: { definitionVersion: number; currentStepIds: string[] }[];
    };
    return items.map(
      ({ definitionVersion, currentStepIds }) => `${definitionVersion} ${currentStepIds.join()}`,
    );
  };
  const count = (words: readonly string[], word: string) => words.filter((each) => each === word).length;

  await page.goto('/ui/flows/order');
  await expect(page.getByText('Runs that have begun still follow version 1.')).toBeVisible();
  await page.getByRole('link', { name: 'Look at what would become of them, and bring them along' }).click();
  await expect(page).toHaveURL(/compare\?from=1&to=2/);
  await page.getByRole('button', { name: 'Bring living runs along…' }).click();
  const panel = page.getByRole('complementary', { name: 'Bring living runs along' });
  const verdicts = panel.getByRole('list', { name: 'What will become of them' });
  await expect(verdicts.getByText(`${RUNS - AT_SHIP}go on where they stand`)).toBeVisible();
  await expect(verdicts.getByText('the new version has no step for "ship"')).toBeVisible();
  await expect(panel.getByRole('button', { name: `Bring ${RUNS - AT_SHIP} runs along` })).toBeVisible();
  await expectAccessible(page, 'migrate-preview');

  // A run does not stand at an end, so an end is no place to go on.
  await expect(panel.getByLabel('Ship', { exact: true }).locator('option')).toHaveText([
    'Stay with their version',
    'Check',
    'Deliver',
    'Thank',
  ]);
  await panel.getByLabel('Ship', { exact: true }).selectOption({ label: 'Deliver' });
  await expect(verdicts.getByText(`${AT_SHIP}go on at another step`)).toBeVisible();
  await panel.getByLabel('Why (may be empty)').fill('we thank customers now');
  await panel.getByRole('button', { name: `Bring ${RUNS} runs along` }).click();
  await expect(panel.getByText(`${RUNS} of ${RUNS} runs: ${RUNS} done`)).toBeVisible();
  expect(count(await versions(), '2 deliver')).toBe(AT_SHIP);
  expect(count(await versions(), '2 check')).toBe(RUNS - AT_SHIP);
  await expectAccessible(page, 'migrate-done');

  // The page can be left: its address shows the same.
  await page.reload();
  await panel.getByRole('button', { name: 'Bring them back' }).click();
  await expect(panel.getByText('Back to the version that they came from.')).toBeVisible();
  await expect(panel.getByText(`${RUNS} of ${RUNS} runs: ${RUNS} done`)).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Bring them along again' })).toBeVisible();
  await expect.poll(async () => count(await versions(), '1 ship')).toBe(AT_SHIP);
  expect(count(await versions(), '1 check')).toBe(RUNS - AT_SHIP);

  await page.setViewportSize({ width: 1024, height: 768 });
  await page.goto('/ui/flows/order/compare?from=1&to=2&do=migrate');
  await expect(verdicts.getByText('stay with their version')).toBeVisible();
  await expectAccessible(page, 'migrate-1024');
});

/* The engine is quicker than anybody who wants to pause it: the states come from here, the rest from the engine. */
test('a command that is under way is paused, goes on and is stopped from the list of runs', async ({
  page,
}) => {
  const bulk = {
    id: '01M7NVJP6F0000000020000001',
    action: 'cancel',
    state: 'running',
    found: 200,
    done: 40,
    succeeded: 40,
    skipped: 0,
    refused: 0,
    createdAt: '2026-11-18T15:58:12.087000Z',
    all: true,
  };
  await page.route(/\/v1\/bulk/, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const word = path.split('/').at(-1) ?? '';
    if (word === 'pause') bulk.state = 'paused';
    if (word === 'resume') bulk.state = 'running';
    if (word === 'cancel') bulk.state = 'cancelled';
    const json =
      word === 'bulk' || word === 'results' ? { items: word === 'bulk' ? [bulk] : [], pageSize: 20 } : bulk;
    await route.fulfill({ json });
  });
  await page.goto('/ui/runs');
  await page.getByRole('button', { name: 'Cancelling 200 runs: 40 done' }).click();
  const side = page.getByRole('complementary', { name: 'Preview' });
  await side.getByRole('button', { name: 'Pause' }).click();
  await expect(side.getByText('160 wait until it goes on.')).toBeVisible();
  await expectAccessible(page, 'bulk-paused');
  await side.getByRole('button', { name: 'Go on' }).click();
  await expect(side.getByRole('button', { name: 'Pause' })).toBeVisible();
  await side.getByRole('button', { name: 'Stop' }).click();
  await expect(side.getByText('160 were not touched; what is done stays done.')).toBeVisible();
  await expect(side.getByRole('button', { name: 'Go on' })).toHaveCount(0);
});
