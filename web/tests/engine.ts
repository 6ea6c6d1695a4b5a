/* tests/engine.ts — an engine of its own for each test file, on a free port and in a directory that goes afterwards. Files share
 * a browser: to start one takes longer than most tests. A page that writes an error to the console fails its test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { test as base } from '@playwright/test';

/* The Makefile names the binary as seen from the root of the project. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BINARY = resolve(ROOT, process.env['PAWL_BINARY'] ?? 'build/pawl');
const START_MAX_MS = 60_000;

export interface Engine {
  readonly url: string;
  /** Sends JSON to the engine and returns what it answers; throws if that is an error. */
  readonly send: (method: string, path: string, body?: unknown) => Promise<unknown>;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`the engine did not start: ${text}`)), START_MAX_MS);
    const take = (chunk: Buffer) => {
      text += chunk.toString();
      const found = /listening on (http:\/\/\S+)/.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('exit', (code) => reject(new Error(`the engine stopped (${code ?? 'killed'}): ${text}`)));
  });
}

export async function openEngine(
  options: readonly string[],
): Promise<Engine & { close: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'pawl-web-'));
  let child: ChildProcess;
  let url = '';
  const start = async () => {
    const address = url === '' ? '127.0.0.1:0' : new URL(url).host;
    child = spawn(BINARY, ['serve', '--listen', address, '--data', directory, ...options]);
    url = await listening(child);
  };
  const kill = () =>
    new Promise<void>((resolve) => {
      child.removeAllListeners('exit');
      child.on('exit', () => resolve());
      child.kill('SIGKILL');
    });
  await start();
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
  const close = async () => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  };
  return { url, send, kill, start, close };
}

/** The engine of one file at a time: a worker runs files one after the other. */
class Host {
  #file = '';
  #engine: (Engine & { close: () => Promise<void> }) | null = null;

  async engineOf(file: string): Promise<Engine> {
    if (this.#engine !== null && this.#file === file) return this.#engine;
    await this.close();
    this.#engine = await openEngine([]);
    this.#file = file;
    return this.#engine;
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    this.#engine = null;
  }
}

export const test = base.extend<
  { readonly engine: Engine; readonly quiet: undefined; readonly allowed: RegExp | null },
  { readonly host: Host }
>({
  /** Errors that a test brings about by itself: `test.use({ allowed: /net::ERR_/ })`. */
  allowed: [null, { option: true }],
  host: [
    async ({}, use) => {
      const host = new Host();
      await use(host);
      await host.close();
    },
    { scope: 'worker' },
  ],
  engine: async ({ host }, use, { file }) => use(await host.engineOf(file)),
  baseURL: async ({ engine }, use) => use(engine.url),
  quiet: [
    async ({ page, allowed }, use) => {
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && allowed?.test(message.text()) !== true) errors.push(message.text());
      });
      page.on('pageerror', (thrown) => errors.push(String(thrown)));
      await use(undefined);
      if (errors.length > 0) throw new Error(`the page wrote errors:\n${errors.join('\n')}`);
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';
