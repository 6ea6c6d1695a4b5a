/* tests/office-day.spec.ts — a day in the office: a request for a laptop is built, tested, published, made and answered by somebody who
 * reads nothing but the screen. Things are found by what is written on them; each press of the pointer counts, typing does not. */
import type { Locator, Page } from '@playwright/test';

import { type Engine, expect, openEngine, test } from './engine';
import { mailServer } from './mail-server';

const CLICKS_MAX = 55;

/** Counts presses. A choice in a list is two: one opens the list, one chooses. */
class Person {
  clicks = 0;
  constructor(readonly page: Page) {}
  async click(target: Locator) {
    this.clicks++;
    await target.click();
  }
  /** Types where the cursor is already. */
  async write(text: string, ...ends: readonly string[]) {
    await this.page.keyboard.type(text);
    for (const key of ends) await this.page.keyboard.press(key);
  }
  async type(target: Locator, text: string, ...ends: readonly string[]) {
    await this.click(target);
    await this.write(text, ...ends);
  }
  async choose(target: Locator, label: string) {
    this.clicks += 2;
    await target.selectOption({ label });
  }
}

let engine: Engine & { close: () => Promise<void> };
let mails: Awaited<ReturnType<typeof mailServer>>;
test.beforeAll(async () => {
  mails = await mailServer();
  const address = `smtp://127.0.0.1:${mails.port}?from=office@example.org&tls=none`;
  engine = await openEngine(['--allow-private-calls', '--smtp', address]);
});
test.afterAll(async () => {
  await engine.close();
  mails.close();
});

test.use({ actionTimeout: 8000 });
test('a request for a laptop, from an empty canvas to the answer @quick', async ({ page }) => {
  const person = new Person(page);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const kind = (name: string) =>
    page.getByRole('dialog', { name: 'Add a step' }).getByRole('option', { name: new RegExp(`^${name}`) });
  const shot = (name: string) => page.screenshot({ path: `test-results/office-${name}.png` });

  await page.goto(`${engine.url}/ui/`);
  await person.click(page.getByRole('link', { name: 'Flows', exact: true }));
  await person.click(page.getByRole('link', { name: 'New flow' }));
  await person.click(button(/Start from scratch/));
  await person.type(field('Name of the flow'), '', 'Control+a');
  await person.write('A laptop, please');

  // The form: what is asked.
  await person.click(button(/^Somebody asks, /));
  await person.click(field('Another question'));
  for (const question of ['Name', 'Model', 'Price']) await person.write(question, 'Enter');
  await expect(field('Answer to Price')).toHaveValue('number');
  await shot('form');

  // A group decides within three days, and is reminded.
  await person.click(button('Add a step here, behind Somebody asks'));
  await person.click(kind('Decision'));
  await person.click(button('Add a way'));
  await person.click(kind('Ask a person'));
  await expect(field('Title')).toBeFocused();
  await person.write('May we buy this laptop?');
  await person.type(field('Groups'), 'managers', 'Enter');
  await person.type(field('Time to answer'), '3');
  await person.click(page.getByText('More choices'));
  await person.click(button('Add a reminder'));
  await shot('ask');

  // An e-mail for each outcome.
  const email = async (name: string, subject: string, text: string) => {
    await person.click(kind('Email'));
    await expect(field('Name of the step')).toHaveValue(name);
    await expect(field('To')).toBeFocused();
    await person.write('shopping@example.org', 'Enter');
    await person.type(field('Subject'), subject);
    await person.type(field('Text'), text);
    await person.click(button('Model'));
  };
  await person.click(button('If the answer is approve: a new step'));
  await email('Email', 'Your laptop comes', 'We buy ');
  await person.click(button(/^Ask a person, /));
  await person.click(button('If the answer is decline: a new step'));
  await email('Email 2', 'No laptop this time', 'We do not buy ');
  await shot('emails');

  // No answer means no laptop. Up to 1,500 nobody is asked.
  await person.click(button(/^Ask a person, /));
  await person.choose(field('If nobody answers in time'), 'Email 2');
  await person.click(button('no condition yet'));
  const condition = page.getByRole('dialog', { name: 'When to go this way' });
  await person.choose(condition.getByLabel('Row 1: field'), 'Price');
  await person.type(condition.getByLabel('Row 1: value'), '1500');
  await shot('condition');
  await person.click(button('otherwise'));
  await person.choose(field('Leads to'), 'Email');
  await shot('otherwise');

  // The test: what costs little comes at once, what costs more may be declined.
  const tested = page.getByRole('region', { name: 'Test', exact: true });
  await person.click(button('Test'));
  await person.click(button('Run the test'));
  await expect(tested.getByText('Reached Done')).toBeVisible();
  await expect(tested.getByText('May we buy this laptop?')).toHaveCount(0);
  await person.choose(field('Answer of Ask a person'), 'decline');
  await person.click(button('Change the sample'));
  await person.type(page.getByRole('dialog').getByLabel('Price'), '', 'Control+a');
  await person.write('1800');
  await person.click(button('Run with this'));
  await expect(tested.getByText('Reached Done')).toBeVisible();
  await expect(tested.getByRole('button', { name: /Email 2/ })).toBeVisible();
  await shot('test');

  await person.click(button('Publish'));
  await person.click(button('Publish version 1'));
  await person.click(button('Start…'));
  await expect(page.getByRole('dialog').getByRole('textbox', { name: /^Name/ })).toBeFocused();
  await shot('start');
  await person.write('Ada', 'Tab');
  await person.write('ThinkPad', 'Tab');
  await person.write('1800');
  await person.click(button('Start'));
  await expect(page.getByText(/Ask a person/).first()).toBeVisible();
  await shot('run');

  await person.click(page.getByRole('link', { name: /^Inbox/ }));
  await expect(field('Your name, as your flows know you')).toBeFocused();
  await person.write('Grace', 'Tab');
  await person.write('managers');
  await person.click(button('Show my tasks'));
  await expect(page.getByRole('heading', { name: 'May we buy this laptop?' })).toBeVisible();
  await shot('inbox');
  await person.click(page.getByRole('radio', { name: /Approve/ }));
  await person.click(button(/Send answer/));
  await expect.poll(() => mails.got.join('')).toContain('We buy ThinkPad');
  expect(mails.got.join('')).not.toContain('We do not buy');
  console.log(`laptop request: ${person.clicks} clicks`);
  expect(person.clicks).toBeLessThanOrEqual(CLICKS_MAX);

  // The engine has what was meant.
  const flow = await engine.send('GET', '/v1/definitions/a-laptop-please');
  expect(flow).toMatchObject({ name: 'A laptop, please' });
  const text = JSON.stringify(flow);
  expect(text).toContain('"condition":{"left":"{{ trigger.payload.price }}","op":"gt","right":1500}');
  expect(text).toMatch(/"timeout":"(3d|P3D)"/);
  expect(text).toContain('"reminders":');
});
