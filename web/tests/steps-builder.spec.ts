/* tests/steps-builder.spec.ts — flows of steps in the builder: one built by pointer and one by keyboard, published and run; the text and
 * the canvas show the same document; nobody's draft is overwritten. */
import type { Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

const step = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const panel = (page: Page) => page.locator('#builder-panel');
const option = (page: Page, name: string) => page.getByRole('option', { name });
const plus = (page: Page, line: number) => page.getByRole('button', { name: 'Add a step here' }).nth(line);

interface Steps {
  readonly id: string;
  readonly steps: readonly Record<string, unknown>[];
}

async function draftOf(page: Page): Promise<Steps> {
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^saved /)).toBeVisible();
  const id = page.url().split('/').at(-1)?.split('?')[0] ?? '';
  const response = await page.request.get(`/api/workflows/${id}/draft`);
  return ((await response.json()) as { document: Steps }).document;
}

async function scratch(page: Page) {
  await page.goto('/ui/builder');
  await page.getByText('For developers: other ways').click();
  await page.getByRole('button', { name: 'Steps', exact: true }).click();
  await expect(step(page, 'Start')).toBeVisible();
}

test('start, service task, decision, two ways: by pointer, published, run', async ({ page, engine }) => {
  await scratch(page);
  await step(page, 'Start').click();
  await panel(page).getByLabel('Another question').fill('Amount');
  await page.keyboard.press('Enter');
  await plus(page, 0).click();
  await option(page, 'Service task').click();
  await panel(page).getByLabel('Name of the step').fill('Book the invoice');
  // The engine says what lacks, in words, and mends it.
  await expect(panel(page).getByText('It does not say which kind of job a worker takes.')).toBeVisible();
  await panel(page).getByLabel('Kind of job that a worker takes').fill('book');
  await panel(page).getByLabel('If it fails, try again so many times').fill('2');
  await plus(page, 1).click();
  await page.getByRole('option', { name: /^Decision the first/ }).click();
  await panel(page).getByRole('button', { name: 'Add a way' }).click();
  await option(page, 'Ask a person').click();
  await panel(page).getByLabel('Groups who may take it', { exact: true }).fill('managers');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'no condition yet' }).click();
  await page.getByLabel('Row 1: field').selectOption({ label: 'Amount' });
  await page.getByLabel('Row 1: value').fill('1000');
  await expect(page.getByRole('button', { name: 'Amount over 1,000' })).toBeVisible();
  const { id, steps } = await draftOf(page);
  expect(steps.map(({ type }) => type)).toEqual(['SERVICE_TASK', 'END', 'DECISION', 'USER_TASK']);
  expect(steps[0]).toMatchObject({ jobType: 'book', retryCount: 2, nextStep: steps[2]?.['id'] });
  expect(steps[2]).toMatchObject({
    conditionalNextSteps: { 'amount > 1000': steps[3]?.['id'], true: steps[1]?.['id'] },
  });

  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Run the test' }).click();
  await expect(page.getByText(/^Reached /)).toBeVisible();
  await expectAccessible(page, 'steps-builder-test');
  await page.getByRole('button', { name: 'Close the test' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish version 1' }).click();
  await expect(page).toHaveURL(new RegExp(`/ui/flows/${id}`));

  const run = (await engine.send('POST', '/v1/instances', {
    definitionId: id,
    variables: { amount: 1200 },
  })) as { id: string; currentStepIds: string[] };
  expect(run.currentStepIds).toEqual([steps[0]?.['id']]);
  const { jobs } = (await engine.send('POST', '/v1/jobs/poll', {
    workerId: 'w',
    jobTypes: ['book'],
  })) as { jobs: { id: string }[] };
  await engine.send('POST', `/v1/jobs/${jobs[0]?.id ?? ''}/complete`, { workerId: 'w', variables: {} });
  expect(await engine.send('GET', `/v1/instances/${run.id}`)).toMatchObject({
    status: 'WAITING',
    currentStepIds: [steps[3]?.['id']],
  });
});

test('the same by keyboard alone, with a timer', async ({ page }) => {
  await scratch(page);
  await page.locator('.react-flow__node[tabindex="0"]').focus();
  await page.keyboard.press('a');
  await page.keyboard.type('service');
  await page.keyboard.press('Enter');
  await expect(step(page, 'Service task')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByLabel('Kind of job that a worker takes')).toBeFocused();
  await page.keyboard.type('book');
  await page.keyboard.press('Escape');
  await expect(step(page, 'Service task')).toBeFocused();
  await page.keyboard.press('a');
  await page.keyboard.type('ask');
  await page.keyboard.press('Enter');
  await expect(step(page, 'Ask a person')).toBeFocused();
  await page.keyboard.press('Enter');
  const timer = panel(page).getByRole('button', { name: 'Add a timer' });
  for (let tabs = 0; tabs < 20; tabs++) {
    if (await timer.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.keyboard.type('end');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByLabel('Name of the step')).toHaveValue('End');
  const { steps } = await draftOf(page);
  const ask = steps.find(({ type }) => type === 'USER_TASK');
  expect(ask?.['boundaryEvents']).toEqual([
    { type: 'TIMER', duration: 'P1D', interrupting: false, targetStepId: steps.at(-1)?.['id'] },
  ]);
  await expect(page.getByRole('button', { name: 'after 1 day, and waits on' })).toBeVisible();
});

const LOAN = {
  id: 'loan',
  name: 'Loan',
  steps: [
    {
      id: 'tier',
      name: 'Which tier?',
      type: 'DECISION_TABLE',
      hitPolicy: 'F',
      nextStep: 'route',
      decisionTable: {
        rules: [
          { when: { score: 'score >= 700' }, outputs: { tier: 'gold' } },
          { when: {}, outputs: { tier: 'none' } },
        ],
      },
    },
    {
      id: 'route',
      name: 'Route',
      type: 'DECISION',
      conditionalNextSteps: { 'tier == "gold"': 'set', 'len(tier) > 2 * 3': 'ask', true: 'done' },
    },
    {
      id: 'set',
      name: 'Compute the fee',
      type: 'TRANSFORMATION',
      transformations: { fee: '${score * 2}', note: 'quick' },
      nextStep: 'split',
    },
    {
      id: 'split',
      name: 'Both',
      type: 'PARALLEL_GATEWAY',
      parallelNextSteps: ['ask', 'pay'],
      joinStep: 'join',
    },
    { id: 'ask', name: 'Ask the clerk', type: 'USER_TASK', nextStep: 'join' },
    { id: 'pay', name: 'Pay', type: 'SERVICE_TASK', jobType: 'pay', nextStep: 'join' },
    { id: 'join', name: 'Both are done', type: 'JOIN_GATEWAY', nextStep: 'wait' },
    { id: 'wait', name: 'Wait for the bank', type: 'WAIT', nextStep: 'done' },
    { id: 'done', name: 'Done', type: 'END' },
  ],
};

test('all nine types have their panels, and the text is the canvas', async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/loan/draft', LOAN);
  await page.goto('/ui/builder/loan');
  const fields: readonly (readonly [string, string])[] = [
    ['tier', 'Rule 1: score'],
    ['set', 'Value of fee'],
    ['split', 'All ways meet at'],
    ['ask', 'Groups who may take it'],
    ['pay', 'Kind of job that a worker takes'],
    ['wait', 'Then'],
    ['done', 'What ends here'],
  ];
  for (const [id, field] of fields) {
    await page.locator(`.react-flow__node[data-id="${id}"]`).click();
    await expect(panel(page).getByLabel(field, { exact: true })).toBeVisible();
  }
  await step(page, 'Compute the fee').click();
  await expect(panel(page).getByLabel('Value of fee')).toHaveValue('score * 2');
  await panel(page).getByLabel('Value of note').fill('slow');
  await page.getByRole('button', { name: 'len(tier) > 2 * 3' }).click();
  await expect(page.getByLabel('Formula')).toHaveValue('len(tier) > 2 * 3');
  await expectAccessible(page, 'steps-builder');

  // Typed as text, seen on the canvas; renamed on the canvas, seen in the text.
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  const text = page.getByLabel('Text of the flow');
  await expect(text).toContainText('"note": "slow"');
  await text.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(
    JSON.stringify({ ...LOAN, name: 'Loan by text', steps: LOAN.steps.slice(4) }),
  );
  await page.getByRole('button', { name: 'Canvas', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Loan by text');
  await expect(step(page, 'Ask the clerk')).toBeVisible();
  await expect(step(page, 'Route')).toHaveCount(0);
  await page.getByRole('button', { name: /Take back/ }).click();
  await expect(step(page, 'Route')).toBeVisible();
  await page.getByRole('button', { name: 'Outline', exact: true }).click();
  await expect(page.getByRole('treeitem', { name: /^Route/ })).toBeVisible();
  await expectAccessible(page, 'steps-builder-outline');
});

/* The engine's 412 stands in the console: that is what this test is about. */
const loud = test.extend<{ readonly quiet: undefined }>({ quiet: async ({}, use) => use(undefined) });

loud('a draft is never saved over what somebody else saved', async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/shared-loan/draft', { ...LOAN, id: 'shared-loan' });
  await page.goto('/ui/builder/shared-loan');
  await expect(step(page, 'Route')).toBeVisible();
  // A save that is on its way when another one comes.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/workflows/shared-loan/draft', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => request.method() === 'PUT');
  await panel(page).getByLabel('Name of the flow').fill('Mine');
  await asked;
  await engine.send('PUT', '/api/workflows/shared-loan/draft', {
    ...LOAN,
    id: 'shared-loan',
    name: 'Theirs',
    steps: LOAN.steps.slice(-1),
  });
  release();
  const banner = page.getByRole('alertdialog');
  await expect(banner).toContainText('Theirs lacks “Which tier?”');
  await banner.getByRole('button', { name: 'Take theirs' }).click();
  await expect(step(page, 'Route')).toHaveCount(0);
});
