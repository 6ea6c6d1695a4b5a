/* playwright.config.ts — browser tests on Debian's Chromium against the real binary. tests/engine.ts starts an engine per file. */
import { existsSync } from 'node:fs';

import { defineConfig } from '@playwright/test';

/* The shell without windows draws the same and takes two thirds of the processor time. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const browser = process.env['CHROMIUM'] ?? BROWSERS.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

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
    launchOptions: { executablePath: browser, args: ['--no-sandbox'] },
  },
});
