/* tests/axe.ts — axe-core on a page, in light and dark, and a picture of each for whoever looks at the results. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { expect, type Page } from '@playwright/test';

const SOURCE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}

/** Rules whose verdict a theme can change; all others read what both themes share. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The policy of the page refuses script elements; an evaluated text is none. */
async function findings(page: Page, rules: readonly string[] | null): Promise<readonly Finding[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(SOURCE, 'utf8'));
  return page.evaluate(async (only) => {
    const axe = Reflect.get(window, 'axe') as {
      run: (
        options: object,
      ) => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
    };
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      preload: false, // No rule that is on reads style sheets by itself.
      ...(only === null ? {} : { runOnly: only }),
    });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html }) => html.slice(0, 160)),
    }));
  }, rules);
}

/** No finding in either theme; screenshots NAME-light.png and NAME-dark.png. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: `test-results/${name}-${scheme}.png` });
    const found = await findings(page, scheme === 'light' ? null : COLOUR_RULES);
    expect.soft(found, `${name}, ${scheme}`).toEqual([]);
  }
}
