/* tests/language.spec.ts — the application in German: a task on a phone, every page, the choice on the account page. And: times say their zone,
 * a page from right to left keeps inside of the window, Japanese, Chinese and Korean have fonts of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Page } from '@playwright/test';

import * as to from '../src/ui/addresses';
import { expectAccessible } from './axe';
import { expect, test } from './engine';
import { INVOICE, startInvoice } from './invoice';

const PHONE = { width: 390, height: 844 };

test.use({ locale: 'de-DE', timezoneId: 'Europe/Berlin' });

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', INVOICE);
  for (const number of ['A-1', 'A-2']) await startInvoice(engine, number, 2000);
  await startInvoice(engine, 'A-3', 10);
});

async function expectInside(page: Page): Promise<void> {
  const beside = await page.evaluate(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    return over <= 0 && document.documentElement.scrollLeft === 0 ? '' : `${over} px beside the window`;
  });
  expect([page.url(), beside]).toEqual([page.url(), '']);
}

test('the versions of the address are those that are compared and migrated, in German, too', async ({
  page,
  engine,
}) => {
  for (const name of ['Eins', 'Zwei', 'Drei'])
    await engine.send('POST', '/v1/definitions', {
      id: 'drei',
      name,
      steps: [
        { id: 'a', name, type: 'WAIT', nextStep: 'end' },
        { id: 'end', name: 'Ende', type: 'END' },
      ],
    });
  await engine.send('POST', '/v1/instances', { definitionId: 'drei', definitionVersion: 1 });
  await page.goto('/ui/flows/drei/compare?from=1&to=2&do=migrate');
  await expect(page.getByRole('combobox', { name: 'von' })).toHaveValue('1');
  await expect(page.getByRole('combobox', { name: 'nach' })).toHaveValue('2');
  await expect(page.getByRole('button', { name: '1 Lauf mitnehmen' })).toBeVisible();
});

test('a task is found and answered in German on a phone @quick', async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto('/ui/inbox');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.getByLabel('Ihr Name, wie Ihre Abläufe Sie kennen').fill('ada');
  await page.getByLabel('Ihre Gruppen').fill('accounting');
  await page.getByRole('button', { name: 'Meine Aufgaben zeigen' }).click();
  await expectInside(page);
  await page.getByRole('link', { name: 'Approve the invoice' }).first().click();
  const task = page.getByRole('region', { name: 'Die Aufgabe' });
  await expect(task.getByText(/gefragt \d\d:\d\d:\d\d GMT\+\d/)).toBeVisible();
  await expectInside(page);
  await task.getByRole('radio', { name: /^approve/i }).check();
  await task.getByRole('button', { name: /^Antwort senden/ }).click();
  await expect(task.getByText(/^Gesendet: Approve the invoice\. Als Nächstes: /)).toBeVisible();
});

test.describe('the engine', () => {
  test.use({ allowed: /status of 409/ });

  test('says in German why a run waits or failed, and what it refuses', async ({ page, engine }) => {
    await engine.send('POST', '/v1/definitions', {
      id: 'gruende',
      name: 'Gründe',
      steps: [
        { id: 'ask', name: 'Chef fragen', type: 'USER_TASK', nextStep: 'route', candidateGroups: ['office'] },
        { id: 'route', name: 'Weiche', type: 'DECISION', conditionalNextSteps: { 'x > 1': 'end' } },
        { id: 'end', name: 'Ende', type: 'END' },
      ],
    });
    const run = (await engine.send('POST', '/v1/instances', {
      definitionId: 'gruende',
      variables: { x: 0 },
    })) as { readonly id: string };
    await page.goto(`/ui${to.runAddress(run.id)}`);
    const why = page.getByRole('region', { name: 'Warum er wartet' });
    await expect(why).toContainText('„Chef fragen“ wartet auf jemanden aus office.');
    await page.goto(`/ui${to.runsAddress('definitionId=gruende')}`);
    await expect(page.getByText('„Chef fragen“ wartet auf jemanden aus office.')).toBeVisible();

    // A refusal: what its code says, and beneath it the engine's own words.
    await page.goto(`/ui${to.flowAddress('gruende')}`);
    await page.getByRole('button', { name: 'Löschen …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('gruende');
    await dialog.getByRole('button', { name: 'Löschen' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Der Ablauf hat noch Läufe.');
    await expect(dialog.getByRole('alert').locator('[lang="en"]')).toContainText('has living runs');
    await expectAccessible(page, 'german-refusal');

    const done = await page.request.post(`/v1/instances/${run.id}/user-tasks/ask/complete`, {
      headers: { 'X-Actor': 'ada', 'X-Groups': 'office' },
      data: {},
    });
    expect(done.ok()).toBe(true);
    await page.goto(`/ui${to.runAddress(run.id)}`);
    await expect(why).toContainText('„Weiche“');
    await expect(why).toContainText('Kein Weg der Entscheidung passt');
    await page.goto(`/ui${to.homeAddress}`);
    await expect(page.getByRole('link', { name: 'Kein Weg der Entscheidung passt' })).toBeVisible();

    // A text with a problem.
    await page.goto(`/ui${to.flowsAddress}`);
    await page.getByRole('button', { name: 'Text veröffentlichen …' }).click();
    const text = page.getByRole('dialog');
    await text
      .getByRole('textbox')
      .fill('{"id": "x", "name": "X", "steps": [{"id": "a", "name": "A", "type": "NOTHING"}]}');
    await expect(text.getByText('Der Wert ist keiner der erlaubten.')).toBeVisible();
  });
});

/* The first words of each page. */
const PAGES = [
  [to.homeAddress, 'Letzte Stunde'],
  [to.flowsAddress, 'Neuer Ablauf'],
  [to.flowAddress('invoice'), 'Versionen'],
  [to.builderAddress(), 'Was soll geschehen?'],
  [to.builderAddress('invoice'), 'Wenn dies geschieht'],
  [to.runsAddress(), 'Filter hinzufügen'],
  [to.inboxAddress(), 'Wer sind Sie?'],
  [to.entitiesAddress, 'Es gibt noch kein Modell'],
  [to.triggersAddress, 'Eingänge'],
  [to.tablesAddress, 'Noch hat kein Ablauf eine Entscheidungstabelle'],
  [to.workersAddress, 'Die Engine selbst'],
  [to.connectionsAddress(), 'Neue Verbindung'],
  [to.accessAddress('users'), 'Neuer Benutzer'],
  [to.accessAddress('keys'), 'Neuer Schlüssel'],
  [to.auditAddress(), 'Prüfen'],
  [to.docsAddress, 'Für Programme'],
  [to.apiDocsAddress, 'Die API'],
  [to.accountAddress, 'Zeitzone'],
] as const;

/* Templates are documents, and the description of the API is the contract's: in the words of whoever wrote them. */
const OTHERS_WORDS = new Set<string>([to.builderAddress(), to.apiDocsAddress]);

/** Texts of more than one word that English pages show. Words of the engine and of people stay as they are. */
function englishTexts(): ReadonlySet<string> {
  const folder = fileURLToPath(new URL('../src/texts/en', import.meta.url));
  const texts = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/: '([^'\n]+ [^'\n]+)',$/gm)].map(([, text = '']) =>
      text.trim(),
    ),
  );
  expect(texts.length).toBeGreaterThan(1000);
  return new Set(texts);
}

test('every page speaks German, and none is wider than the window', async ({ page }) => {
  const english = englishTexts();
  for (const [address, first] of PAGES) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/ui${address}`);
    await expect(page.locator('#page').getByText(first).first()).toBeVisible();
    await expect(page.getByRole('status', { name: 'Lädt' })).toHaveCount(0);
    const said = await page.evaluate(() => {
      const spoken = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((one) =>
        ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''),
      );
      return [...document.body.innerText.split('\n'), ...spoken].map((line) => line.trim());
    });
    if (!OTHERS_WORDS.has(address))
      expect([address, said.filter((line) => english.has(line))]).toEqual([address, []]);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectInside(page);
    }
  }
});

test('home in German has no findings', async ({ page }) => {
  await page.goto('/ui/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, 'home-german');
});

test('a language is chosen on the account page, and the zone is said there', async ({ page }) => {
  await page.goto('/ui/account');
  const choice = page.getByLabel('Sprache', { exact: true });
  await expect(choice).toHaveValue('');
  await expect(page.getByText('Europe/Berlin').first()).toBeVisible();
  await choice.selectOption('English');
  await expect(page.getByLabel('Language', { exact: true })).toHaveValue('en');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.goto('/ui/runs');
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
  await page.goto('/ui/account');
  await page.getByLabel('Language', { exact: true }).selectOption({ label: 'As the browser says: Deutsch' });
  await expect(page.getByLabel('Sprache', { exact: true })).toHaveValue('');
});

test('whose language is not there reads English, with dates and numbers of it', async ({
  browser,
  engine,
}) => {
  const page = await browser.newPage({ locale: 'ja-JP', timezoneId: 'Asia/Tokyo', baseURL: engine.url });
  await page.goto('/ui/runs');
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.getByText('Times: Asia/Tokyo, GMT+9')).toBeVisible();
  // Signs that are Japanese and Chinese: in the reader's shapes first.
  const family = () => page.evaluate(() => getComputedStyle(document.body).fontFamily);
  expect(await family()).toMatch(/^system-ui.*Hiragino Sans.*Noto Sans CJK JP.*PingFang SC.*sans-serif$/);
  await page.evaluate(() => (document.body.lang = 'ko'));
  expect(await family()).toMatch(/^system-ui.*Noto Sans CJK KR.*sans-serif$/);
  await page.close();
});

for (const address of [to.homeAddress, to.inboxAddress(), to.runsAddress(), to.flowAddress('invoice')])
  for (const width of [1440, 390])
    test(`${address} from right to left at ${width} px keeps inside of the window`, async ({ page }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`/ui${address}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.evaluate(() => (document.documentElement.dir = 'rtl'));
      await expectInside(page);
      const nav = await page.getByRole('navigation', { name: 'Seiten' }).boundingBox();
      // The navigation stands where a line begins.
      if (width === 1440) expect((nav?.x ?? 0) + (nav?.width ?? 0)).toBe(1440);
    });
