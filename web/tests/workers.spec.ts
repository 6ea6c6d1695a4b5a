/* tests/workers.spec.ts — job types: who takes them, how old the oldest is, how often they fail. */
import { expectAccessible } from './axe';
import { type Engine, expect, test } from './engine';

const HOSTILE = '<img src=x onerror=alert(1)>' + 'x'.repeat(120);

const flow = (id: string, jobType: string) => ({
  id,
  name: id,
  steps: [
    {
      id: 'work',
      name: 'Work',
      type: 'SERVICE_TASK',
      jobType,
      nextStep: 'end',
    },
    { id: 'end', name: 'End', type: 'END' },
  ],
});

interface Polled {
  readonly jobs: readonly { readonly id: string }[];
}

const poll = (engine: Engine, jobType: string, workerId: string, maxJobs: number) =>
  engine.send('POST', '/v1/jobs/poll', { jobTypes: [jobType], workerId, maxJobs }) as Promise<Polled>;

test.beforeAll(async ({ engine }) => {
  for (const [id, jobType] of [
    ['pay', 'pay'],
    ['pack', HOSTILE],
    ['ship', 'ship'],
  ] as const)
    await engine.send('POST', '/v1/definitions', flow(id, jobType));
  for (let number = 0; number < 8; number++)
    await engine.send('POST', '/v1/instances', { definitionId: 'pay' });
  for (let number = 0; number < 3; number++)
    await engine.send('POST', '/v1/instances', { definitionId: 'ship' });
  await engine.send('POST', '/v1/instances', { definitionId: 'pack' });
  const good = await poll(engine, 'pay', 'payer-1', 3);
  const bad = await poll(engine, 'pay', 'payer-2', 1);
  for (const { id } of good.jobs)
    await engine.send('POST', `/v1/jobs/${id}/complete`, { workerId: 'payer-1', variables: {} });
  for (const { id } of bad.jobs)
    await engine.send('POST', `/v1/jobs/${id}/fail`, {
      workerId: 'payer-2',
      reason: 'the card was declined',
    });
  await poll(engine, 'pay', 'payer-1', 2);
  await poll(engine, HOSTILE, `${HOSTILE}-worker`, 1);
});

test('two workers take one kind of job, and one of them fails', async ({ page }) => {
  page.on('dialog', () => {
    throw new Error('a name became markup');
  });
  await page.goto('/ui/workers');
  const pay = page.getByRole('row', { name: /^pay, / });
  await expect(pay).toContainText('payer-1 and payer-2');
  await expect(pay).toContainText('At work');
  await expect(pay).toContainText('25 %'); // Three done, one failed.
  await expect(page.getByRole('row', { name: /^ship, Nobody takes them/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /<img src=x/ })).toBeVisible();
  await pay.focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'The job' });
  await expect(panel.getByRole('listitem')).toHaveCount(2);
  await expect(panel).toContainText('payer-1');
  await expect(panel).toContainText('has 2 jobs');
  await expect(panel).toContainText('asked');
  await expectAccessible(page, 'workers');
  const width = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(width).toBe(0);
});

test('a worker that takes what waits shows without a reload', async ({ page, engine }) => {
  await page.goto('/ui/workers');
  await expect(page.getByRole('row', { name: /^ship, Nobody takes them/ })).toBeVisible();
  await poll(engine, 'ship', 'shipper', 3);
  await expect(page.getByRole('row', { name: /^ship, At work/ })).toContainText('shipper');
});
