/* vite.config.ts — builds dist/, which embed.mjs compiles into the binary; `npm run dev` serves the sources and asks a
 * running engine (PAWL_SERVER) for everything else. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import type { ProxyOptions } from 'vite';
import { defineConfig } from 'vitest/config';

const target = process.env['PAWL_SERVER'] ?? 'http://127.0.0.1:8080';
/* The engine refuses pages of other origins; requests that the development server passes on come from nobody's page. */
const engine: ProxyOptions = {
  target,
  changeOrigin: true,
  configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
};

/* The parts that texts of any language are made with. Modules wait for the texts of the chosen language (texts/core.ts), so that nothing these need may
 * be in a file that waits. */
const isBase = (id: string) =>
  /^\0(vite\/preload-helper|commonjsHelpers)/.test(id) ||
  /\/src\/texts\/(language|say)\.|\/node_modules\/react\//.test(id);

/* German that is on every page comes as one file. */
const isGerman = (id: string) => /\/src\/texts\/(german|de\/(app|ui|form|flow|engine))\./.test(id);

/* Code that nearly every page uses comes with the first one, as one file. Rollup alone makes a file of each piece that two pages share: twenty
 * small requests before a page can be drawn, six at a time. Pictures, menus and forms are large and not on every page. Few look after access. */
const isShared = (id: string) =>
  /\/src\/texts\/(core|engine|(en\/)?(app|ui))\./.test(id) ||
  (/\/src\/(ui|api)\//.test(id) &&
    !/\/src\/(ui\/(picture|menu|new-password|form\/)|api\/(access|audit|session)\.)/.test(id)) ||
  /\/node_modules\/(@tanstack|wouter|openapi-fetch|react-dom|scheduler)\//.test(id);

const nameOf = (id: string) =>
  isBase(id) ? 'base' : isGerman(id) ? 'german' : isShared(id) ? 'shared' : undefined;

/* A path of somebody's own, such as /home/ada/src/ui/pawl, must not make other files than any other path does. */
const here = realpathSync(fileURLToPath(new URL('.', import.meta.url)));
const chunkOf = (id: string) => nameOf(id.replace(here, ''));

export default defineConfig({
  base: '/ui/',
  plugins: [react()],
  build: {
    assetsInlineLimit: 0, // The Content-Security-Policy allows no inline script or style.
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'es2022',
    chunkSizeWarningLimit: 600,
    rollupOptions: { output: { manualChunks: chunkOf } },
  },
  server: { proxy: { '/api': engine, '/v1': engine, '/healthz': engine, '/readyz': engine } },
  // Only a test that hangs is too late: on a machine that is busy with other builds, the longest one took four minutes with a sanitizer.
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    environment: 'node',
    testTimeout: 900_000,
    // A process for each file would take three times as long.
    pool: 'threads',
    isolate: false,
    setupFiles: ['tests/seed.ts'],
  },
});
