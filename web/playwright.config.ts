/* playwright.config.ts — browser tests on Debian's Chromium against the real binary. tests/engine.ts starts an engine per file. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  // `npm run pictures` takes the pictures of the documentation instead.
  testDir: process.env['PICTURES'] === undefined ? 'tests' : 'pictures',
  outputDir: 'test-results',
  timeout: 60_000,
  expect: { timeout: 15_000 },
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
