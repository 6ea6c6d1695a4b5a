/* tests/inbox.spec.ts — people's tasks: found, taken, answered and handed over, by keyboard alone, with hostile names. */
import { expectAccessible } from './axe';
import { type Engine, expect, test } from './engine';

const HOSTILE = '<img src=x onerror=alert(1)>';

const LEAVE = {
  dialect: 'graph/1',
  definitionId: 'leave-request',
  name: 'Leave request',
  nodes: [
    { id: 'ask', type: 'trigger_manual', label: 'Leave asked for', position: { x: 0, y: 0 } },
    {
      id: 'lead',
      type: 'human_task',
      label: 'Ask the team lead',
      position: { x: 0, y: 120 },
      config: {
        title: 'Approve leave, {{ trigger.payload.when }}',
        description: '{{ trigger.payload.who }} asks for {{ trigger.payload.days }} days off.',
        assignees: ['ada'],
        due: '{{ trigger.payload.due }}',
        decisions: ['approve', 'decline'],
        reminders: ['2d'],
        timeout: '7d',
        formSchema: {
          type: 'object',
          required: ['days'],
          properties: {
            standIn: {
              enum: ['Shift A', 'Shift C', 'Front desk', 'Van 4', 'Nobody'],
              title: 'Who stands in',
            },
            days: { type: 'integer', maximum: 5, title: 'Days to book' },
            note: { type: 'string', maxLength: 500, title: 'Note to them' },
            calendar: { type: 'boolean', default: true, title: 'Put it in the team calendar' },
          },
        },
      },
    },
    {
      id: 'book',
      type: 'set_variables',
      label: 'Book each day',
      position: { x: -120, y: 260 },
      config: { values: { booked: true } },
    },
    { id: 'booked', type: 'end', label: 'Booked', position: { x: -120, y: 380 } },
    { id: 'declined', type: 'end', label: 'Declined', position: { x: 140, y: 260 } },
  ],
  edges: [
    { from: 'ask', to: 'lead' },
    { from: 'lead', to: 'book', fromPort: 'approve' },
    { from: 'lead', to: 'declined', fromPort: 'decline' },
    { from: 'lead', to: 'declined', fromPort: 'timeout' },
    { from: 'book', to: 'booked' },
  ],
};

const CHECK = {
  id: 'supplier',
  name: 'Supplier onboarding',
  steps: [
    {
      id: 'check',
      name: 'Check new supplier',
      type: 'USER_TASK',
      nextStep: 'end',
      candidateGroups: ['purchasing'],
      dueDate: 'P1D',
    },
    { id: 'end', name: 'End', type: 'END' },
  ],
};

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

async function start(engine: Engine, definitionId: string, variables: object): Promise<string> {
  const answer = await engine.send('POST', `/v1/definitions/${definitionId}/instances`, { variables });
  return String(Reflect.get(Object(answer), 'id'));
}

async function statusOf(engine: Engine, id: string): Promise<string> {
  return String(Reflect.get(Object(await engine.send('GET', `/v1/instances/${id}`)), 'status'));
}

const runs: string[] = [];

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', LEAVE);
  await engine.send('POST', '/v1/definitions', CHECK);
  const leave = (when: string, who: string, due: number) =>
    start(engine, 'leave-request', {
      when,
      who,
      days: 5,
      from: '2026-05-18',
      until: '2026-05-22',
      due: inHours(due),
    });
  runs.push(await leave('18 to 22 May', 'Warehouse, shift B', -3));
  runs.push(await leave('29 May', HOSTILE, 2));
  await leave(`${'very '.repeat(40)}long`, 'مستودع 🚚', 30);
  await start(engine, 'supplier', { supplier: 4471 });
});

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    if (localStorage.getItem('pawl.person') === null)
      localStorage.setItem('pawl.person', '{"name":"ada","groups":["purchasing"]}');
  });
});

test('who is new is asked once who they are', async ({ page }) => {
  await page.addInitScript(() => localStorage.removeItem('pawl.person'));
  await page.goto('/ui/inbox');
  await page.getByLabel('Your name, as your flows know you').fill('ada');
  await page.getByLabel('Your groups').fill('purchasing, hr');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Approve leave, 18 to 22 May');
  await expect(page.getByText('For purchasing and hr, not taken yet')).toBeVisible();
});

test('looks calm in light and dark, at two widths, with hostile names', async ({ page }) => {
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/ui/inbox');
    await expect(page.getByText('3 h late').first()).toBeVisible();
    await expect(page.getByText('Where this stands')).toBeVisible();
    await expect(page).toHaveTitle('Approve leave, 18 to 22 May · Pawl');
    await expectAccessible(page, `inbox-${width}`);
  }
  expect(await page.locator('img').count()).toBe(0);
  await page.getByRole('link', { name: /very very/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('very very');
  await page.screenshot({ path: 'test-results/inbox-hostile.png' });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(overflow).toBe(false);
});

test(
  'a task is answered by keyboard alone; mistakes are said at their field',
  { tag: '@quick' },
  async ({ page, engine }) => {
    await page.goto('/ui/inbox');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Approve leave, 18 to 22 May', {
      timeout: 120_000,
    });
    await page.keyboard.press('j');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Approve leave, 29 May');
    await page.keyboard.press('k');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Approve leave, 18 to 22 May');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('radio', { name: 'Approve' })).toBeFocused();
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('Choose one')).toBeVisible();
    await expect(page.getByText('Fill this in')).toBeVisible();
    await page.keyboard.press('Space');
    await page.getByLabel('Days to book').focus();
    await page.keyboard.type('6');
    await page.keyboard.press('Tab');
    await expect(page.getByText('At most 5')).toBeVisible();
    await page.screenshot({ path: 'test-results/inbox-mistake.png' });
    await page.getByLabel('Days to book').fill('5');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Approve leave, 29 May');
    await expect.poll(() => statusOf(engine, runs[0] ?? '')).toBe('COMPLETED');
  },
);

test('a task of a group is taken, put back, commented and handed over', async ({ page, engine }) => {
  await page.goto('/ui/inbox?for=groups');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check new supplier');
  await page.keyboard.press('c');
  await expect(page.getByText('You have it')).toBeVisible();
  await page.keyboard.press('c');
  await expect(page.getByText('For the group purchasing, not taken yet')).toBeVisible();
  await page.keyboard.press('m');
  await page.keyboard.type('Which country?');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Which country?')).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('h');
  await page.keyboard.type('bob');
  await page.keyboard.press('Enter');
  await expect(page.getByText('bob has this task.')).toBeVisible();
  const { items } = (await engine.send('GET', '/api/tasks?assignee=bob')) as { items: unknown[] };
  expect(items).toHaveLength(1);
});

test('a task that comes while the page is open appears by itself', async ({ page, engine }) => {
  await page.goto('/ui/inbox');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await start(engine, 'leave-request', { when: '1 June', who: 'Van 4', days: 1, due: inHours(40) });
  await expect(page.getByRole('link', { name: /1 June/ })).toBeVisible();
});

test('what was typed survives a look at another task, and a faster colleague is named', async ({
  page,
  engine,
}) => {
  const when = `12 July ${Date.now()}`;
  const run = await start(engine, 'leave-request', { when, who: 'Van 4', days: 1, due: inHours(-30) });
  await page.goto('/ui/inbox');
  await page.getByRole('link', { name: new RegExp(when) }).click();
  await expect(page.getByText('If nobody answers, a reminder goes out after 2 days')).toBeVisible();
  await page.getByRole('radio', { name: 'Decline' }).check();
  await page.getByLabel('Note to them').fill('Not in the holidays');
  await page.getByRole('link', { name: /29 May/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Approve leave, 29 May');
  await expect(page.getByLabel('Note to them')).toHaveValue('');
  await page.getByRole('link', { name: new RegExp(when) }).click();
  await expect(page.getByLabel('Note to them')).toHaveValue('Not in the holidays');
  await expect(page.getByRole('radio', { name: 'Decline' })).toBeChecked();
  await page.reload();
  await expect(page.getByLabel('Note to them')).toHaveValue('Not in the holidays');
  await expect(page.getByRole('radio', { name: 'Decline' })).toBeChecked();

  await page.getByRole('link', { name: /29 May/ }).click();
  const { items } = (await engine.send('GET', `/api/tasks?instanceId=${run}`)) as { items: { id: string }[] };
  const id = items[0]?.id ?? '';
  await engine.send('POST', `/api/tasks/${id}/assign`, { by: 'ada', assignee: 'bob' });
  await engine.send('POST', `/api/tasks/${id}/complete`, {
    by: 'bob',
    decision: 'approve',
    answer: { days: 1 },
  });
  const lost = page.getByRole('status').filter({ hasText: 'What you had typed was not sent' });
  await expect(lost).toContainText('bob answered “Approve”');
  await page.screenshot({ path: 'test-results/inbox-lost.png' });
  await lost.getByRole('link').click();
  await expect(page.getByText('What you had typed was not sent; it is still below.')).toBeVisible();
  await expect(page.getByLabel('Note to them')).toHaveValue('Not in the holidays');
  await page.getByRole('link', { name: /29 May/ }).click();
  await lost.getByRole('button', { name: /^Forget what was typed/ }).click();
  await expect(lost).toHaveCount(0);
});

test('a group’s list goes on past its first page', async ({ page, engine }) => {
  const group = `crowd-${Date.now()}`;
  await engine.send('POST', '/v1/definitions', {
    ...CHECK,
    id: group,
    name: 'Crowd',
    steps: [{ ...CHECK.steps[0], candidateGroups: [group] }, CHECK.steps[1]],
  });
  for (let number = 0; number < 130; number++) await start(engine, group, { number });
  await page.addInitScript(
    (name) =>
      localStorage.setItem('pawl.person', JSON.stringify({ name: 'eve', groups: [name, 'purchasing'] })),
    group,
  );
  await page.goto('/ui/inbox?for=groups');
  const rows = page.getByRole('region', { name: 'Tasks' }).getByRole('link', { name: /^Check new supplier/ });
  await expect(rows.nth(40)).toBeVisible();
  const more = page.getByRole('button', { name: 'Show more' });
  for (let clicks = 0; clicks < 5 && (await more.isVisible()); clicks++) {
    const before = await rows.count();
    await more.click();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
  }
  expect(await rows.count()).toBeGreaterThanOrEqual(130);
});
