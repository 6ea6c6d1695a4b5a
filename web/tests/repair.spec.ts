/* tests/repair.spec.ts — a failed run is repaired on its page: other data and another step, previewed before it is done. */
import { runAddress } from '../src/ui/addresses';
import { expectAccessible } from './axe';
import { expect, test } from './engine';

const FLOW = {
  id: 'pay',
  name: 'Pay',
  steps: [
    { id: 'check', name: 'Check the account', type: 'SERVICE_TASK', jobType: 'check', nextStep: 'ask' },
    { id: 'ask', name: 'Ask the office', type: 'USER_TASK', nextStep: 'end' },
    { id: 'end', name: 'End', type: 'END' },
  ],
};

test('a step is skipped with other data, after a preview', async ({ page, engine }) => {
  await engine.send('POST', '/v1/definitions', FLOW);
  const { id } = (await engine.send('POST', '/v1/instances', { definitionId: 'pay' })) as { id: string };
  const { jobs } = (await engine.send('POST', '/v1/jobs/poll', {
    jobTypes: ['check'],
    workerId: 'w',
    maxJobs: 1,
  })) as { jobs: { id: string }[] };
  await engine.send('POST', `/v1/jobs/${jobs[0]?.id ?? ''}/fail`, { workerId: 'w', reason: 'closed' });
  await page.goto(`/ui${runAddress(id)}`);
  await page.getByRole('button', { name: 'Repair…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Show what would happen' })).toBeDisabled();
  await dialog.getByLabel('Go on at').selectOption('Ask the office');
  await dialog.getByLabel(/^Change data/).fill('{"account": "open"}');
  await dialog.getByRole('button', { name: 'Show what would happen' }).click();
  await expect(dialog.getByRole('region', { name: 'What would happen' })).toContainText('Ask the office');
  await expectAccessible(page, 'repair');
  await dialog.getByRole('button', { name: 'Do it' }).click();
  await expect(dialog).toBeHidden();
  const run = (await engine.send('GET', `/v1/instances/${id}`)) as {
    currentStepIds: string[];
    variables: Record<string, unknown>;
  };
  expect(run.currentStepIds).toEqual(['ask']);
  expect(run.variables['account']).toBe('open');
});

test('a failed step is done again with other data, of which one says no more', async ({ page, engine }) => {
  await engine.send('POST', '/v1/definitions', FLOW);
  const { id } = (await engine.send('POST', '/v1/instances', { definitionId: 'pay' })) as { id: string };
  const poll = async () =>
    (
      (await engine.send('POST', '/v1/jobs/poll', { jobTypes: ['check'], workerId: 'w', maxJobs: 1 })) as {
        jobs: { id: string; variables: Record<string, unknown> }[];
      }
    ).jobs[0];
  const first = await poll();
  await engine.send('POST', `/v1/jobs/${first?.id ?? ''}/fail`, { workerId: 'w', reason: 'closed' });
  await page.goto(`/ui${runAddress(id)}`);
  await page.getByRole('button', { name: 'Repair…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Go on at')).toHaveValue('');
  await dialog.getByLabel(/^Change data/).fill('{"account": "open"}');
  await dialog.getByRole('button', { name: 'Show what would happen' }).click();
  await expect(dialog.getByRole('region', { name: 'What would happen' })).toContainText('Check the account');
  await dialog.getByRole('button', { name: 'Do it' }).click();
  await expect(dialog).toBeHidden();
  expect((await poll())?.variables['account']).toBe('open');
});
