/* pictures/picture.ts — takes one picture of a page for the documentation. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { Page } from '@playwright/test';

import { expect } from '../tests/engine';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZE_MAX = 100_000;

/** WebP, which Playwright does not write by itself. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await session.detach();
  const bytes = Buffer.from(data, 'base64');
  expect(bytes.length, name).toBeLessThanOrEqual(SIZE_MAX);
  await writeFile(`${FOLDER}${name}.webp`, bytes);
  await page.screenshot({ path: `test-results/${name}.png` });
}
