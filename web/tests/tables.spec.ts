/* tests/tables.spec.ts — decision tables: found, edited like a spreadsheet by pointer and keyboard, checked in place, tried and
 * published; with names that try to be something else, accessible in light and dark. */
import type { Locator, Page } from '@playwright/test';

import { expectAccessible } from './axe';
import { type Engine, expect, test } from './engine';

test.describe.configure({ mode: 'serial' });

const HOSTILE = '<img src=x onerror=alert(1)>';
const LONG = 'مرحبا 🦊 ' + 'long'.repeat(48);

const flow = (id: string, name: string, title: string) => ({
  id,
  name,
  steps: [
    {
      id: 'tier',
      name: title,
      type: 'DECISION_TABLE',
      hitPolicy: 'F',
      nextStep: 'end',
      decisionTable: {
        rules: [
          { when: { credit: 'creditScore < 500' }, outputs: { tier: 'HIGH', rate: 0 } },
          {
            when: { credit: 'creditScore < 650', fraud: 'fraudScore > 0.8' },
            outputs: { tier: 'MEDIUM', rate: 12.5 },
          },
          { when: {}, outputs: { tier: 'LOW', rate: 9 } },
        ],
      },
    },
    { id: 'end', name: 'End', type: 'END' },
  ],
});

test.beforeAll(async ({ engine }) => {
  await engine.send('POST', '/v1/definitions', flow('LOS::loan', 'Loan', 'Risk tier'));
  await engine.send('POST', '/v1/definitions', flow('hostile', HOSTILE, LONG));
});

const cell = (grid: Locator, row: number, column: number) => grid.locator(`[data-cell="${row}:${column}"]`);
interface Draft {
  readonly document: {
    steps: { decisionTable: { rules: { when: Record<string, string>; outputs: object }[] } }[];
  };
}
/* Until the first edit is saved there is no draft. */
const rulesOf = async (engine: Engine) => {
  const draft = (await engine
    .send('GET', '/api/workflows/LOS%3A%3Aloan/draft')
    .catch(() => null)) as Draft | null;
  return draft?.document.steps[0]?.decisionTable.rules ?? [];
};

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', data);
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
}

test('tables are listed, whatever their names are', async ({ page }) => {
  await page.goto('/ui/tables');
  const list = page.getByRole('grid', { name: 'Decision tables' });
  await expect(list.getByRole('row')).toHaveCount(3);
  await expect(list).toContainText(HOSTILE);
  await expectAccessible(page, 'tables');
  await list.getByRole('link', { name: LONG }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(LONG);
  await expectAccessible(page, 'table-hostile');
  await page.goto('/ui/tables');
  await page.getByLabel('Find tables by their flow').fill('loan');
  await expect(list.getByRole('row')).toHaveCount(2);
  await list.getByRole('row', { name: /^Risk tier/ }).press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Risk tier');
});

test('a table is edited by keys, checked in place and tried', { tag: '@quick' }, async ({ page, engine }) => {
  await page.goto('/ui/tables/LOS%3A%3Aloan/tier');
  const grid = page.getByRole('grid', { name: 'Rows of Risk tier' });
  await expect(cell(grid, 0, 0)).toHaveText('< 500');
  // Typing replaces, Tab goes on, Enter goes down, Escape leaves it.
  await cell(grid, 1, 0).focus();
  await page.keyboard.type('500 to 650');
  await page.keyboard.press('Tab');
  await page.keyboard.type('at least 0.5');
  await page.keyboard.press('Enter');
  await expect(cell(grid, 2, 1)).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('nonsense');
  await page.keyboard.press('Escape');
  await expect(cell(grid, 1, 0)).toHaveText('≥ 500 and ≤ 650');
  await expect(cell(grid, 1, 1)).toHaveText('≥ 0.5');
  await expect(cell(grid, 2, 1)).toHaveText('any');
  await expect
    .poll(async () => (await rulesOf(engine))[1]?.when)
    .toEqual({ credit: 'creditScore >= 500 && creditScore <= 650', fraud: 'fraudScore >= 0.5' });
  // A piece of a spreadsheet, with rows that were not there.
  await cell(grid, 2, 2).focus();
  await paste(page, 'LOW\t9\r\nNONE\t7.5\r\n');
  await expect(cell(grid, 3, 2)).toHaveText('NONE');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(cell(grid, 1, 2)).toHaveText('LOW');
  await expect(cell(grid, 1, 2)).toBeFocused();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(cell(grid, 3, 2)).toHaveCount(0);
  // Which row fits, at once.
  const values = page.getByRole('grid', { name: 'Values to try' });
  await cell(values, 0, 0).focus();
  await paste(page, '480\t0.1\n600\t0.9\n700\t0.9\n');
  await expect(cell(values, 0, 2)).toHaveText('Rows 1, 3');
  await expect(cell(values, 1, 3)).toContainText('Tier: MEDIUM · Rate: 12.5');
  await expect(cell(values, 2, 2)).toHaveText('Row 3');
  // A row that an earlier one always comes before.
  await cell(grid, 0, 0).focus();
  await page.keyboard.press('Delete');
  await expect(grid).toContainText('Row 2 is never reached: row 1 fits before it, always.');
  await page.keyboard.press('Control+z');
  await expect(grid).not.toContainText('never reached');
  // Only one row may fit: the engine finds those that do not agree.
  await page.getByLabel('Takes').selectOption('Exactly one row fits');
  await expect(grid).toContainText('Rows 1 and 3 both fit, for example when creditScore is');
  await expect(cell(values, 0, 3)).toContainText('Fails: more than one row fits.');
});

test('columns, rows and a formula with a mistake; then it is published', async ({ page, engine }) => {
  await page.goto('/ui/tables/LOS%3A%3Aloan/tier');
  const grid = page.getByRole('grid', { name: 'Rows of Risk tier' });
  await page.getByLabel('Takes').selectOption('The first row that fits');
  await page.getByRole('button', { name: 'Condition…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a condition' });
  await dialog.getByLabel('Field that it looks at').fill('credit');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(dialog).toContainText('There is such a column already');
  await dialog.getByLabel('Field that it looks at').fill('customer.age');
  await page.keyboard.press('Enter');
  await cell(grid, 0, 2).dblclick();
  await page.keyboard.type('= customer.age >');
  await page.keyboard.press('Enter');
  await expect(grid).toContainText('Row 1, Customer.age: expected a value');
  await expectAccessible(page, 'table');
  await page.getByRole('button', { name: 'Publish v2' }).click();
  const publish = page.getByRole('dialog');
  await expect(publish).toContainText('Not yet: something must be mended');
  await expectAccessible(page, 'table-publish');
  await publish.getByRole('button', { name: 'Back to the table' }).click();
  await cell(grid, 0, 2).focus();
  await page.keyboard.type('>= 18');
  await page.keyboard.press('Enter');
  await expect(grid).not.toContainText('expected a value');
  await page.getByRole('button', { name: 'Row 2', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Copy the row/ }).click();
  await page.getByRole('button', { name: 'Row 3', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Remove the row' }).press('Enter');
  await page.getByRole('button', { name: 'Publish v2' }).click();
  await publish.getByRole('button', { name: 'Publish version 2' }).click();
  await expect(page).toHaveURL(/\/ui\/flows\/LOS/);
  const published = JSON.stringify(await engine.send('GET', '/v1/definitions/LOS%3A%3Aloan/versions/2'));
  expect(published).toContain('customer.age >= 18');
  expect(JSON.stringify(await engine.send('GET', '/api/workflows/drafts'))).not.toContain('LOS::loan');
});

test.describe('two people', () => {
  test.use({ allowed: /status of 412/ }); // The second one is told.
  test('who saves second is asked', async ({ page, engine }) => {
    await page.goto('/ui/tables/hostile/tier');
    const grid = page.getByRole('grid', { name: /^Rows of/ });
    await expect(cell(grid, 0, 0)).toHaveText('< 500');
    const theirs = flow('hostile', 'Theirs', 'Tier');
    await engine.send('PUT', '/api/workflows/hostile/draft', theirs);
    await cell(grid, 0, 0).focus();
    await page.keyboard.type('< 400');
    await page.keyboard.press('Enter');
    const banner = page.getByRole('alertdialog', { name: 'Somebody else changed this flow' });
    await banner.getByRole('button', { name: 'Take theirs' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tier');
    await expect(cell(grid, 0, 0)).toHaveText('< 500');
  });
});
