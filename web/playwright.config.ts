/* playwright.config.ts — browser tests on Debian's Chromium against the real binary. tests/engine.ts starts an engine per file. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  // `npm run pictures` takes the pictures of the documentation instead.
  testDir: process.env['PICTURES'] === undefined ? 'tests' : 'pictures',
  outputDir: 'test-results',
  // `make test` runs other tests beside them on two cores.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  reporter: './tests/totals.ts',
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
});
