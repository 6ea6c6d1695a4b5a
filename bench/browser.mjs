/* browser.mjs — how long the web application takes to show lists, as its user sees it: from the click to the frame with the rows.
 *
 * usage: node browser.mjs URL ROUNDS
 *
 * Prints a list of one object per round: the application opened anew (openMs), the first page of the runs from another page (firstMs), the
 * next one by its cursor (nextMs), the slowest of the pages after it (deepMs), runs filtered by their status (filterMs); of the page's own
 * thread the processor time of a next page (nextCpuMs) and the longest task while somebody scrolls (scrollMs); and its memory after all
 * that (memoryMB). Chromium is Debian's, or $CHROMIUM; Playwright is that of web/. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];
const { chromium } = createRequire(new URL('../web/package.json', import.meta.url))('@playwright/test');
const [url, rounds] = [process.argv[2], Number(process.argv[3] ?? 3)];
const DEEP_PAGES = 10;
const WAIT_MAX_MS = 60_000;

/* In the page: presses the link or button with this text, then waits until another first row is there and the browser has drawn it. */
function timePress([word, was, maxMs]) {
  const seen = () => document.querySelector('main tbody tr[data-rove]')?.textContent ?? '';
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const look = () => {
      if (performance.now() - began > maxMs) reject(new Error(`nothing came after ${word}`));
      else if (seen() === '' || seen() === was) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => resolve({ ms: performance.now() - began, text: seen() })));
    };
    if (word !== null) {
      const named = [...document.querySelectorAll('a, button')].filter((each) => each.textContent.trim().startsWith(word));
      if (named.length === 0) reject(new Error(`there is no ${word}`));
      else named[0].click();
    }
    look();
  });
}

const press = (page, word, was = null) => page.evaluate(timePress, [word, was, WAIT_MAX_MS]);

/* The tasks of the page's thread while something is done, in milliseconds of processor time: what others do on the machine does not count. */
async function tasksOf(page, browser, act) {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const isMain = ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain';
  const mains = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid}:${tid}`));
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && mains.has(`${pid}:${tid}`))
    .map(({ tdur }) => (tdur ?? 0) / 1000);
}

const sum = (times) => times.reduce((all, each) => all + each, 0);

/* Scrolls the list to its end and back. */
async function scroll(page) {
  await page.mouse.move(800, 500);
  for (let i = 0; i < 10; i++) await page.mouse.wheel(0, 240);
  for (let i = 0; i < 10; i++) await page.mouse.wheel(0, -240);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function memoryMB(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  await client.send('Performance.enable');
  const { metrics } = await client.send('Performance.getMetrics');
  await client.detach();
  return metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 1e6;
}

async function round(browser) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const began = performance.now();
  await page.goto(`${url}/ui/runs`);
  await press(page, null);
  const openMs = performance.now() - began;
  await page.goto(`${url}/ui/tables`);
  await page.waitForSelector('h1');
  const first = await press(page, 'Runs');
  const next = await press(page, 'Next', first.text);
  let [deepMs, text] = [0, next.text];
  for (let i = 0; i < DEEP_PAGES; i++) {
    const deeper = await press(page, 'Next', text);
    deepMs = Math.max(deepMs, deeper.ms);
    text = deeper.text;
  }
  const scrollMs = Math.max(...(await tasksOf(page, browser, () => scroll(page))));
  const nextCpuMs = sum(await tasksOf(page, browser, () => press(page, 'Next', text)));
  // Nothing has failed, so the list is empty before the filter that has all of them.
  await page.getByRole('link', { name: 'Failed', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('main tbody tr[data-rove]') === null);
  const filter = await press(page, 'On its way');
  const memory = await memoryMB(page);
  await page.close();
  return { openMs, firstMs: first.ms, nextMs: next.ms, deepMs, filterMs: filter.ms, nextCpuMs, scrollMs, memoryMB: memory };
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path)), args: ['--no-sandbox'] });
const found = [];
for (let i = 0; i < rounds; i++) found.push(await round(browser));
await browser.close();
console.log(JSON.stringify(found));
