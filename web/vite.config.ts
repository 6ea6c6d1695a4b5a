/* vite.config.ts — builds dist/, which embed.mjs compiles into the binary; `npm run dev` serves the sources and asks a
 * running engine (PAWL_SERVER) for everything else. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import type { ProxyOptions, Rollup } from 'vite';
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

/* Code that nearly every page uses comes in two files: `first` has what home and its frame are made of, `shared` the rest. Rollup alone makes a file of
 * each piece that two pages share: twenty small requests before a page can be drawn, six at a time. Pictures, menus, forms and documents of flows are large
 * and not on every page. Few look after access. */
const isShared = (id: string) =>
  /\/src\/texts\/(core|engine|(en\/)?(app|ui))\./.test(id) ||
  (/\/src\/(ui|api)\//.test(id) &&
    !/\/src\/(ui\/(picture|menu|new-password|qr|form\/|draft-saver|line-words)|api\/(access|audit|session|drafts|node-types|picture-places)\.)/.test(
      id,
    )) ||
  /\/node_modules\/(@tanstack|wouter|openapi-fetch|react-dom|scheduler)\//.test(id);

/* A path of somebody's own, such as /home/ada/src/ui/pawl, must not make other files than any other path does. */
const here = realpathSync(fileURLToPath(new URL('.', import.meta.url)));
const inside = (id: string) => id.replace(here, '');

/* The modules that home needs, found from where it begins. */
const FIRST = /\/src\/(app\/main|pages\/home\/home-page)\.tsx$/;
let first: Set<string> | null = null;

function findFirst({ getModuleIds, getModuleInfo }: Rollup.ManualChunkMeta): Set<string> {
  const found = new Set([...getModuleIds()].filter((id) => FIRST.test(inside(id))));
  for (const id of found) for (const needed of getModuleInfo(id)?.importedIds ?? []) found.add(needed);
  return found;
}

function chunkOf(id: string, meta: Rollup.ManualChunkMeta): string | undefined {
  const place = inside(id);
  first ??= findFirst(meta);
  if (isBase(place)) return 'base';
  if (isGerman(place)) return 'german';
  return isShared(place) ? (first.has(id) ? 'first' : 'shared') : undefined;
}

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
