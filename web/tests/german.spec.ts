/* tests/german.spec.ts — in German, nothing on a page is English: not our own texts, and not what the engine says by a code or in
 * sentences that we know. People's names are German here (tests/german-world.ts), so a word that only English has is a text that
 * somebody forgot. A text that has no German by intent is marked with lang="en", or is code. */
import type { Page } from '@playwright/test';

import * as to from '../src/ui/addresses';
import { expect, test } from './engine';
import { ENTWURF, fillGermanWorld, type GermanWorld } from './german-world';

test.use({ locale: 'de-DE', timezoneId: 'Europe/Berlin' });

let world: GermanWorld;
test.beforeAll(async ({ engine }) => {
  world = await fillGermanWorld(engine);
});

/** Words of English that German does not have, of which hardly any sentence has none. */
const ENGLISH =
  'the|of|is|are|was not|isn|waits?|waiting|failed|fails?|and|for|with|without|has|have|had|no|not|by|nobody|somebody|anybody|this|that|to|its|it|from|' +
  'last|first|every|after|before|tries|try|times|be|been|can|cannot|does|done|gives?|role|step|line|flow|call|remove|fill|add|send|sent|more|ends?|' +
  'wait|days?|hours?|minutes|seconds?|pass|passes|everybody|everything|nothing|another|other|could|would|long|reached|answer|free|start|late|when|on|at|web|request';

/** The texts that the page shows or says in words of English; elements with lang="en", code and what is typed are left out. */
async function englishOn(page: Page): Promise<string[]> {
  return page.evaluate((words) => {
    const english = new RegExp(
      `(?<![\\p{L}\\p{N}_./:-])(${words})(?![\\p{L}\\p{N}_./:-]*[\\p{L}\\p{N}_])`,
      'iu',
    );
    const OTHERS = 'code, pre, kbd, textarea, [lang="en"], option, .mono, datalist';
    const found = new Set<string>();
    const take = (text: string | null) => {
      const said = (text ?? '').replace(/\s+/g, ' ').trim();
      // The engine's own words of a failure, behind its code, stand in tips; syntax is the same in every language.
      if (/^[A-Z][A-Za-z_]{5,}: |^In einer Bedingung: /.test(said)) return;
      // German writes nouns large: "Start", "Web".
      if (english.test(said.replace(/\b(Start|Web|Flow|Call|Team|On|Job|Line|Ende)\b/g, ''))) found.add(said);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || parent.closest(`${OTHERS}, script, style`) !== null) continue;
      if (parent.checkVisibility()) take(node.textContent);
    }
    for (const element of document.querySelectorAll(
      '[aria-label], [title], [placeholder], [aria-description]',
    ))
      if (element.closest('code, pre, [lang="en"]') === null)
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-description'])
          if (!(name === 'placeholder' && element.matches('.mono'))) take(element.getAttribute(name));
    return [...found];
  }, ENGLISH);
}

/** Waits until the page has what it asked for. */
async function settle(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByRole('status', { name: 'Lädt' })).toHaveCount(0);
  let before = '';
  await expect
    .poll(async () => {
      const now = (await page.locator('body').innerText()).replace(/\d+/g, '0'); // Waits count their seconds.
      const isSame = now === before;
      before = now;
      return isSame;
    })
    .toBe(true);
}

async function expectGerman(page: Page, what: string): Promise<void> {
  await settle(page);
  expect.soft(await englishOn(page), what).toEqual([]);
}

const ADDRESSES: readonly (readonly [string, () => string])[] = [
  ['home', () => to.homeAddress],
  ['flows', () => to.flowsAddress],
  ['flow', () => to.flowAddress('rechnung')],
  ['flow-steps', () => to.flowAddress('schritte')],
  ['flow-warning', () => to.flowAddress('warnung')],
  ['compare', () => to.compareAddress('rechnung', 1, 2)],
  ['builder-new', () => to.builderAddress()],
  ['builder', () => to.builderAddress('rechnung')],
  ['builder-steps', () => to.builderAddress('schritte')],
  ['builder-draft', () => to.builderAddress('entwurf')],
  ['runs', () => to.runsAddress()],
  ['runs-retry', () => to.runsAddress('status=failed&do=retry')],
  ['runs-group', () => to.runsAddress('status=failed&group=reason')],
  ['run-failed', () => to.runAddress(world.failed)],
  ['run-asks', () => to.runAddress(world.asks)],
  ['run-locked', () => to.runAddress(world.locked)],
  ['run-tries', () => to.runAddress(world.tries)],
  ['run-table', () => to.runAddress(world.table)],
  ['run-cancelled', () => to.runAddress(world.cancelled)],
  ['inbox', () => to.inboxAddress()],
  ['inbox-task', () => to.inboxAddress(world.task)],
  ['entities', () => to.entitiesAddress],
  ['entity', () => to.entityAddress(world.entity)],
  ['model', () => to.modelAddress('auftrag', 1)],
  ['triggers', () => to.triggersAddress],
  ['trigger', () => to.triggerAddress('rechnung', 'netz')],
  ['trigger-schedule', () => to.triggerAddress('rechnung', 'takt')],
  ['arrivals', () => `${to.triggersAddress}?show=arrivals`],
  ['unmatched', () => `${to.triggersAddress}?show=unmatched`],
  ['tables', () => to.tablesAddress],
  ['table', () => to.tableAddress('schritte', 'stufe')],
  ['workers', () => to.workersAddress],
  ['worker', () => `${to.workersAddress}?job=arbeit`],
  ['connections', () => to.connectionsAddress()],
  ['connection', () => to.connectionsAddress('post')],
  ['users', () => to.accessAddress('users')],
  ['keys', () => to.accessAddress('keys')],
  ['grants', () => to.accessAddress('grants')],
  ['issuers', () => to.accessAddress('issuers')],
  ['tenants', () => to.accessAddress('tenants')],
  ['refusals', () => to.accessAddress('refusals')],
  ['explain', () => `${to.accessAddress('explain')}?name=user%3Aada`],
  ['explain-one', () => `${to.accessAddress('explain')}?name=user%3Aada&method=POST&path=%2Fv1%2Finstances`],
  ['audit', () => to.auditAddress()],
  ['account', () => to.accountAddress],
  ['help', () => to.docsAddress],
  ['login', () => to.loginAddress('/')],
];

for (const [name, address] of ADDRESSES)
  test(`${name} is German`, async ({ page }) => {
    await page.addInitScript(() =>
      localStorage.setItem('pawl.person', JSON.stringify({ name: 'ada', groups: ['Buchhaltung'] })),
    );
    await page.goto(`/ui${address()}`);
    await expectGerman(page, name);
  });

test('a flow to begin with is German when it is taken, and can be published', async ({ page, engine }) => {
  await page.goto(`/ui${to.builderAddress()}`);
  const card = page.getByRole('button', { name: /Rechnungsfreigabe/ });
  await expect(card.locator('b', { hasText: 'Leitung fragen' })).toBeVisible(); // In its picture.
  await settle(page);
  await page.screenshot({ path: 'test-results/gallery-german.png' });
  await card.click();
  await expect(page.locator('.react-flow__node', { hasText: 'Leitung fragen' })).toBeVisible();
  await expectGerman(page, 'taken');
  await page.screenshot({ path: 'test-results/template-german.png' });
  const draft = await engine.send('GET', '/api/workflows/invoice-approval/draft');
  await engine.send('POST', '/v1/definitions', Reflect.get(Object(draft), 'document'));
});

test('what is wrong with a draft, its repairs and its refusal are German', async ({ page }) => {
  await page.goto(`/ui${to.builderAddress('entwurf')}`);
  await page.getByRole('button', { name: /^\d+ Probleme/ }).click();
  await expect(page.getByRole('button', { name: 'Linie entfernen' }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: '1 Tag warten' })).toBeVisible();
  await expectGerman(page, 'problems');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Veröffentlichen', exact: false }).first().click();
  await expect(page.getByRole('dialog').getByRole('button', { name: '1 Tag warten' })).toBeVisible();
  await expectGerman(page, 'refusal');
});

test('a test in the builder tells its reasons in German, and at 1280 px all of its times and words', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/ui${to.builderAddress('rechnung')}`);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Test ausführen' }).click();
  await expect(page.getByRole('button', { name: 'Noch einmal testen' })).toBeEnabled();
  await expect(page.getByText(/^(Erreicht|Fehlgeschlagen bei|Wartet bei)/)).toBeVisible();
  await expectGerman(page, 'test');
  const panel = page.getByRole('region', { name: 'Test', exact: true });
  await expect(panel.locator('ol time').first()).toBeVisible();
  await page.screenshot({ path: 'test-results/builder-test-1280.png' });
  const cut = await panel.evaluate((element) => {
    const isCut = (one: HTMLElement) => {
      if (!(one instanceof HTMLSelectElement)) return one.scrollWidth > one.clientWidth + 1;
      const whole = one.cloneNode(true) as HTMLSelectElement;
      whole.value = one.value;
      // As wide as the chosen word alone.
      for (const option of [...whole.options]) if (!option.selected) option.remove();
      whole.style.cssText = 'position: absolute; width: auto; min-width: 0';
      one.after(whole);
      const { width } = whole.getBoundingClientRect();
      whole.remove();
      return width > one.getBoundingClientRect().width + 1;
    };
    const parts = [...element.querySelectorAll<HTMLElement>('select, time')];
    return { seen: parts.length, cut: parts.filter(isCut).map((one) => one.textContent) };
  });
  expect(cut.seen).toBeGreaterThan(3);
  expect(cut.cut).toEqual([]);
});

for (const theme of ['light', 'dark'] as const)
  test(`at 1280 px the controls above a flow of a long name stand side by side, ${theme}`, async ({
    page,
    engine,
  }) => {
    const name = 'Freigabe der Rechnungen aller Lieferanten der Niederlassungen im Ausland';
    const definitionId = `lang-${theme}`;
    const flow = {
      dialect: 'graph/1',
      definitionId,
      nodes: [
        { id: 'anfang', type: 'trigger_manual', label: 'Anfang' },
        { id: 'ende', type: 'end', label: 'Ende' },
      ],
      edges: [{ from: 'anfang', to: 'ende' }],
    };
    for (const each of [1, 2])
      await engine.send('POST', '/v1/definitions', { ...flow, name: `${name} ${each}` });
    // With problems there is one button more.
    await engine.send('PUT', `/api/workflows/${definitionId}/draft`, { ...ENTWURF, definitionId, name });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(`/ui${to.builderAddress(definitionId)}`);
    await expect(page.getByRole('button', { name: /^Veröffentlichen v\d/ })).toBeVisible();
    await expect(page.getByRole('button', { name: /^\d+ Probleme/ })).toBeVisible();
    await settle(page);
    await page.screenshot({ path: `test-results/builder-long-name-${theme}.png` });
    const { names, wrong } = await page.locator('header.bar').evaluate((header) => {
      const controls = [...header.querySelectorAll('a, button, input')].filter((one) =>
        one.checkVisibility(),
      );
      const nameOf = (one: Element) => one.getAttribute('aria-label') ?? one.textContent;
      const found: string[] = [];
      controls.forEach((one, i) => {
        const box = one.getBoundingClientRect();
        if (box.left < 0 || box.right > window.innerWidth) found.push(`${nameOf(one)} is outside`);
        for (const other of controls.slice(i + 1)) {
          const theirs = other.getBoundingClientRect();
          if (box.left < theirs.right && theirs.left < box.right)
            found.push(`${nameOf(one)} × ${nameOf(other)}`);
        }
        // The pointer meets it at both of its ends.
        for (const x of [box.left + 3, box.right - 3]) {
          const top = document.elementFromPoint(x, (box.top + box.bottom) / 2);
          if (top === null || !one.contains(top)) found.push(`${nameOf(one)} is covered`);
        }
      });
      return { names: controls.map(nameOf), wrong: found };
    });
    expect(names.length).toBeGreaterThan(9);
    expect(wrong).toEqual([]);
    // The name is cut; that all is saved is not.
    const saved = page.locator('header.bar').getByText(/^gespeichert \d\d:\d\d$/);
    expect(await saved.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  });
