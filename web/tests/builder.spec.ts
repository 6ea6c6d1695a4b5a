/* tests/builder.spec.ts — the builder: the three set tasks by pointer and by keyboard with every action counted, drafts that nobody
 * overwrites, hostile names, axe in both themes. An action is a click, a choice in a list, a key; typing one field is one. */
import type { Locator, Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { expect, test } from './engine';

const ACTIONS_MAX = 25;
const FIELDS_MAX = 6;
const STROKES_MAX = 60;
const SYNTAX = /[{}$]/;

/** Counts what a person does. */
class Person {
  actions = 0;
  fields = 0;
  strokes = 0;
  constructor(readonly page: Page) {}
  async click(target: Locator) {
    this.actions++;
    await target.click();
  }
  async type(target: Locator, text: string, ends = '') {
    this.actions++;
    this.fields++;
    expect(text).not.toMatch(SYNTAX);
    await target.click();
    await this.page.keyboard.type(text);
    if (ends !== '') await this.page.keyboard.press(ends);
  }
  async press(...keys: string[]) {
    for (const key of keys) {
      this.strokes++;
      await this.page.keyboard.press(key);
    }
  }
  async letters(text: string) {
    this.fields++;
    expect(text).not.toMatch(SYNTAX);
    await this.page.keyboard.type(text);
  }
}

const step = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const panel = (page: Page) => page.locator('#builder-panel');
const option = (page: Page, name: string) =>
  page.getByRole('dialog', { name: 'Add a step' }).getByRole('option', { name });

async function scratch(page: Page, person: Person) {
  await page.goto('/ui/builder');
  await person.click(page.getByRole('button', { name: /Start from scratch/ }));
  await expect(step(page, 'Somebody asks')).toBeVisible();
}

async function addOnLine(page: Page, person: Person, line: number, name: string) {
  await person.click(page.getByRole('button', { name: 'Add a step here' }).nth(line));
  await person.click(option(page, name).first());
  await expect(panel(page).getByLabel('Name of the step')).toHaveValue(name);
}

async function runTest(page: Page, person: Person) {
  await person.click(page.getByRole('button', { name: 'Test', exact: true }));
  await person.click(page.getByRole('button', { name: 'Run the test' }));
  await expect(page.getByText(/^Reached /)).toBeVisible();
}

const publishedDocument = async (page: Page) => {
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^saved /)).toBeVisible();
  const id = page.url().split('/').at(-1)?.split('?')[0] ?? '';
  const response = await page.request.get(`/api/workflows/${id}/draft`);
  return (
    (await response.json()) as { document: { nodes: { id: string; type: string }[]; edges: unknown[] } }
  ).document;
};

test('a leave request with approval and a reminder after two days, by pointer', async ({ page }) => {
  const person = new Person(page);
  await scratch(page, person);
  await addOnLine(page, person, 0, 'Ask a person');
  await person.type(panel(page).getByLabel('Title', { exact: true }), 'May I go on leave?');
  await person.type(panel(page).getByLabel('Groups', { exact: true }), 'team-leads', 'Enter');
  await person.type(panel(page).getByLabel('Time to answer', { exact: true }), '2');
  await person.click(panel(page).getByRole('button', { name: 'If nobody answers in time: a new step' }));
  await person.click(option(page, 'Email').first());
  await expect(panel(page).getByLabel('Name of the step')).toHaveValue('Email');
  await person.type(panel(page).getByLabel('To', { exact: true }), 'lead@example.org', 'Enter');
  await person.type(panel(page).getByLabel('Subject', { exact: true }), 'Please answer');
  await runTest(page, person);
  const document = await publishedDocument(page);
  expect(document.nodes.map((node) => node.type)).toEqual([
    'trigger_manual',
    'end',
    'human_task',
    'action_email',
  ]);
  await page.screenshot({ path: 'test-results/builder-leave.png' });
  console.log(`leave request: ${person.actions} actions, ${person.fields} fields`);
  expect(person.actions).toBeLessThanOrEqual(ACTIONS_MAX);
  expect(person.fields).toBeLessThanOrEqual(FIELDS_MAX);
});

test('a recipient that is no address is refused where it was typed', async ({ page }) => {
  const person = new Person(page);
  await scratch(page, person);
  await addOnLine(page, person, 0, 'Email');
  const to = panel(page).getByLabel('To', { exact: true });
  await person.type(to, 'shop', 'Enter');
  await expect(panel(page).getByText('“shop” is no e-mail address')).toBeVisible();
  await expect(to).toHaveValue('shop');
  await page.keyboard.type('@example.org');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByText('is no e-mail address')).toHaveCount(0);
  const document = await publishedDocument(page);
  expect(JSON.stringify(document)).toContain('"to":["shop@example.org"]');
});

test('an invoice over 1,000 goes to the manager, anything else is paid, by pointer', async ({ page }) => {
  const person = new Person(page);
  await scratch(page, person);
  await person.click(step(page, 'Somebody asks'));
  await person.type(panel(page).getByLabel('Another question'), 'Amount', 'Enter');
  await addOnLine(page, person, 0, 'Call a web service');
  await person.type(panel(page).getByLabel('Address', { exact: true }), 'https://bank.example.org/pay');
  await addOnLine(page, person, 0, 'Decision');
  await person.click(panel(page).getByRole('button', { name: 'Add a way' }));
  await person.click(option(page, 'Ask a person').first());
  await person.type(panel(page).getByLabel('Title', { exact: true }), 'May we pay this invoice?');
  await person.click(page.getByRole('button', { name: 'no condition yet' }));
  const condition = page.getByRole('dialog', { name: 'When to go this way' });
  person.actions++;
  await condition.getByLabel('Row 1: field').selectOption({ label: 'Amount' });
  await person.type(condition.getByLabel('Row 1: value'), '1000');
  await expect(page.getByRole('button', { name: 'Amount over 1,000' })).toBeVisible();
  await runTest(page, person);
  const document = await publishedDocument(page);
  expect(document.edges).toContainEqual(
    expect.objectContaining({ condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1000 } }),
  );
  await page.screenshot({ path: 'test-results/builder-invoice.png' });
  console.log(`invoice: ${person.actions} actions, ${person.fields} fields`);
  expect(person.actions).toBeLessThanOrEqual(ACTIONS_MAX);
  expect(person.fields).toBeLessThanOrEqual(FIELDS_MAX);
});

test("a web form's data by e-mail, then wait for the answer, by pointer", async ({ page }) => {
  const person = new Person(page);
  await scratch(page, person);
  await person.click(page.getByRole('button', { name: /Start on a web request/ }));
  await person.type(panel(page).getByLabel('Path', { exact: true }), '/orders');
  await person.type(panel(page).getByLabel('Another question'), 'Message', 'Enter');
  await person.click(step(page, 'Somebody asks'));
  await person.press('Delete');
  await expect(step(page, 'Somebody asks')).toHaveCount(0);
  await addOnLine(page, person, 0, 'Email');
  await person.type(panel(page).getByLabel('To', { exact: true }), 'office@example.org', 'Enter');
  await person.type(panel(page).getByLabel('Text', { exact: true }), 'They wrote: ');
  await person.click(panel(page).getByRole('button', { name: 'Message', exact: true }));
  await person.click(page.getByRole('button', { name: 'Add a step here' }).nth(1));
  await person.click(option(page, 'Ask a person').first());
  await runTest(page, person);
  const document = await publishedDocument(page);
  expect(JSON.stringify(document)).toContain('They wrote: {{ trigger.payload.message }}');
  console.log(`web form: ${person.actions + person.strokes} actions, ${person.fields} fields`);
  expect(person.actions + person.strokes).toBeLessThanOrEqual(ACTIONS_MAX);
  expect(person.fields).toBeLessThanOrEqual(FIELDS_MAX);
});

test('the leave request by keyboard alone', async ({ page }) => {
  const person = new Person(page);
  await page.goto('/ui/builder');
  await page.getByRole('button', { name: /Start from scratch/ }).focus();
  await person.press('Enter');
  await expect(step(page, 'Somebody asks')).toBeVisible();
  await page.locator('.react-flow__node[tabindex="0"]').focus();
  await person.press('a');
  await expect(page.getByRole('combobox', { name: 'Find a step' })).toBeFocused();
  await page.keyboard.type('ask');
  await person.press('Enter');
  await expect(step(page, 'Ask a person')).toBeFocused();
  await person.press('Enter');
  await expect(panel(page).getByLabel('Title', { exact: true })).toBeFocused();
  await person.letters('May I go on leave?');
  await person.press('Tab', 'Tab');
  await person.letters('team-leads');
  await person.press('Enter');
  await tabTo(person, panel(page).getByLabel('Time to answer', { exact: true }));
  await person.letters('2');
  await tabTo(person, panel(page).getByRole('button', { name: 'If nobody answers in time: a new step' }));
  await person.press('Enter');
  await page.keyboard.type('email');
  await person.press('Enter');
  await expect(panel(page).getByLabel('Name of the step')).toHaveValue('Email');
  await expect(step(page, 'Email')).toBeFocused();
  await person.press('Enter');
  await expect(panel(page).locator(':focus')).toHaveCount(1);
  await person.letters('lead@example.org');
  await person.press('Enter', 'Escape');
  await expect(step(page, 'Email')).toBeFocused();
  await person.press('t');
  await expect(page.getByRole('button', { name: 'Run the test' })).toBeVisible();
  console.log(`leave request by keyboard: ${person.strokes} strokes, ${person.fields} fields`);
  expect(person.strokes).toBeLessThanOrEqual(STROKES_MAX);
  expect(person.fields).toBeLessThanOrEqual(FIELDS_MAX);
});

test('the invoice by keyboard alone', async ({ page }) => {
  const person = new Person(page);
  await scratchByKeyboard(page, person);
  await person.press('Enter');
  await expect(panel(page).getByLabel('Another question')).toBeFocused();
  await person.letters('Amount');
  await person.press('Enter', 'Escape');
  await expect(step(page, 'Somebody asks')).toBeFocused();
  await addByKeyboard(page, person, 'call', 'Call a web service');
  await person.press('Enter');
  await tabTo(person, panel(page).getByLabel('Address', { exact: true }));
  await person.letters('https://bank.example.org/pay');
  await person.press('Escape', 'ArrowLeft');
  await addByKeyboard(page, person, 'decision', 'Decision');
  await person.press('Enter');
  await tabTo(person, panel(page).getByRole('button', { name: 'Add a way' }));
  await person.press('Enter');
  await page.keyboard.type('ask');
  await person.press('Enter');
  await expect(step(page, 'Ask a person')).toBeFocused();
  await person.press('Enter');
  await expect(panel(page).locator(':focus')).toHaveCount(1);
  await person.letters('May we pay this invoice?');
  await person.press('Escape', 'ArrowLeft', 'l');
  const condition = page.getByRole('dialog', { name: 'When to go this way' });
  await expect(condition.getByLabel('Row 1: field')).toBeFocused();
  await person.press('ArrowDown');
  await tabTo(person, condition.getByLabel('Row 1: value'));
  await person.letters('1000');
  await expect(page.getByRole('button', { name: 'Amount over 1,000' })).toBeVisible();
  await person.press('Escape');
  await testByKeyboard(page, person);
  const document = await publishedDocument(page);
  expect(document.edges).toContainEqual(
    expect.objectContaining({ condition: { left: '{{ trigger.payload.amount }}', op: 'gt', right: 1000 } }),
  );
  console.log(`invoice by keyboard: ${person.strokes} strokes, ${person.fields} fields`);
  expect(person.strokes).toBeLessThanOrEqual(STROKES_MAX);
  expect(person.fields).toBeLessThanOrEqual(FIELDS_MAX);
});

test("a web form's data by e-mail, then wait for the answer, by keyboard alone", async ({ page }) => {
  const person = new Person(page);
  await scratchByKeyboard(page, person);
  await addByKeyboard(page, person, 'start on a web', 'Start on a web request');
  await person.press('Enter');
  await expect(panel(page).getByLabel('Path', { exact: true })).toBeFocused();
  await person.letters('/orders');
  await tabTo(person, panel(page).getByLabel('Another question'));
  await person.letters('Message');
  await person.press('Enter', 'Escape', 'ArrowUp');
  await expect(step(page, 'Somebody asks')).toBeFocused();
  await person.press('Delete');
  await expect(step(page, 'Somebody asks')).toHaveCount(0);
  await expect(step(page, 'Start on a web request')).toBeFocused();
  await addByKeyboard(page, person, 'email', 'Email');
  await person.press('Enter');
  await expect(panel(page).locator(':focus')).toHaveCount(1);
  await person.letters('office@example.org');
  await person.press('Enter');
  await tabTo(person, panel(page).getByLabel('Text', { exact: true }));
  await person.letters('They wrote: ');
  await person.press('Control+Space');
  await expect(page.getByRole('listbox', { name: 'Values from earlier steps' })).toBeFocused();
  await person.press('Enter', 'Escape');
  await addByKeyboard(page, person, 'ask', 'Ask a person');
  await testByKeyboard(page, person);
  const document = await publishedDocument(page);
  expect(JSON.stringify(document)).toContain('They wrote: {{ trigger.payload.message }}');
  console.log(`web form by keyboard: ${person.strokes} strokes, ${person.fields} fields`);
  expect(person.strokes).toBeLessThanOrEqual(STROKES_MAX);
  expect(person.fields).toBeLessThanOrEqual(FIELDS_MAX);
});

async function scratchByKeyboard(page: Page, person: Person) {
  await page.goto('/ui/builder');
  await page.getByRole('button', { name: /Start from scratch/ }).focus();
  await person.press('Enter');
  await expect(step(page, 'Somebody asks')).toBeVisible();
  await page.locator('.react-flow__node[tabindex="0"]').focus();
}

/* `a`, some letters, Enter; the new step has the focus. */
async function addByKeyboard(page: Page, person: Person, letters: string, name: string) {
  await person.press('a');
  await expect(page.getByRole('combobox', { name: 'Find a step' })).toBeFocused();
  await page.keyboard.type(letters);
  await person.press('Enter');
  await expect(step(page, name)).toBeFocused();
}

async function testByKeyboard(page: Page, person: Person) {
  await person.press('t');
  await expect(page.getByRole('button', { name: 'Run the test' })).toBeFocused();
  await person.press('Enter');
  await expect(page.getByText(/^Reached /)).toBeVisible();
}

/* Tab, until the control has the focus. */
async function tabTo(person: Person, target: Locator) {
  for (let tabs = 0; tabs < 24; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await person.press('Tab');
  }
  throw new Error('Tab never came there');
}

const HOSTILE = ['<img src=x onerror=alert(1)>', 'x'.repeat(200), 'مرحبا بالعالم', '🦊🧾'];
const HOSTILE_FLOW = {
  dialect: 'graph/1',
  definitionId: 'hostile',
  name: HOSTILE[0],
  nodes: [
    { id: 's', type: 'trigger_manual', label: HOSTILE[3] },
    {
      id: 'a',
      type: 'human_task',
      label: HOSTILE[0],
      config: {
        title: `${HOSTILE[0] ?? ''} {{ trigger.payload.x }} {{ broken`,
        decisions: [HOSTILE[2], HOSTILE[1]],
      },
    },
    { id: 'b', type: 'action_email', label: HOSTILE[1], config: { to: ['a@example.org'] } },
    { id: 'c', type: 'never_heard_of', label: HOSTILE[2], config: { deep: { er: [1, 2] } } },
    { id: 'e', type: 'end', label: 'End' },
  ],
  edges: [
    { from: 's', to: 'a' },
    { from: 'a', to: 'b', label: HOSTILE[0] },
    { from: 'b', to: 'c' },
    { from: 'c', to: 'e' },
  ],
};

test('hostile names are text, and axe finds nothing in either theme', async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/hostile/draft', HOSTILE_FLOW);
  for (const view of ['', '?view=outline', '?view=text']) {
    await page.goto(`/ui/builder/hostile${view}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(HOSTILE[0] ?? '');
    if (view === '') {
      await page.locator('.react-flow__node[data-id="a"]').click();
      await expect(panel(page).getByLabel('Name of the step')).toHaveValue(HOSTILE[0] ?? '');
    }
    expect(await page.locator('img').count()).toBe(0);
    await expectAccessible(page, `builder${view.replace('?view=', '-')}`);
  }
});

/* The engine's 412 stands in the console: that is what this test is about. */
const loud = test.extend<{ readonly quiet: undefined }>({ quiet: async ({}, use) => use(undefined) });

loud('a draft is never saved over what somebody else saved', async ({ page, engine }) => {
  await engine.send('PUT', '/api/workflows/shared/draft', {
    dialect: 'graph/1',
    name: 'Shared',
    nodes: [
      { id: 's', type: 'trigger_manual', label: 'Start' },
      { id: 'e', type: 'end', label: 'End' },
    ],
    edges: [{ from: 's', to: 'e' }],
  });
  await page.goto('/ui/builder/shared');
  await expect(step(page, 'Start')).toBeVisible();
  // A save that is on its way when another one comes.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/workflows/shared/draft', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => request.method() === 'PUT');
  await panel(page).getByLabel('Name of the flow').fill('Mine');
  await asked;
  await fetch(`${engine.url}/api/workflows/shared/draft`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-Actor': 'Ann' },
    body: JSON.stringify({
      dialect: 'graph/1',
      name: 'Theirs',
      nodes: [{ id: 's', type: 'trigger_manual', label: 'Start' }],
      edges: [],
    }),
  });
  release();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expect(page.getByRole('alertdialog')).toContainText('Ann changed this flow while you did.');
  await expect(page.getByRole('alertdialog')).toContainText('Theirs lacks “End”.');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await expect(panel(page).getByLabel('Name of the flow')).toHaveValue('Theirs');
  await page.keyboard.press('F6');
  await page.getByRole('button', { name: /Take back/ }).click();
  await expect(panel(page).getByLabel('Name of the flow')).toHaveValue('Mine');
  await expect(page.getByText(/^saved /)).toBeVisible();
});
