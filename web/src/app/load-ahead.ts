/* app/load-ahead.ts — the code of the pages that are one click away comes while there is nothing else to do, one page after the other. */
import { ROUTES } from './routes';

/** Somebody who opens the builder waits for a canvas in any case; its code is larger than all the others together. Few look after access. */
const LATER = new Set(['/builder/:id', '/access/:part?', '/audit', '/account']);
/** Where the browser cannot say that it is idle, and between two looks whether the page still waits for answers. */
const PAUSE_MS = 500;

const waiting = ROUTES.filter(({ pattern }) => !LATER.has(pattern)).map(({ code }) => code);
let hasBegun = false;

function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act);
  else setTimeout(act, PAUSE_MS);
}

/** Answers that somebody waits for come first: on a slow line each page of code would hold them up by half a second. */
function loadNext(isBusy: () => boolean): void {
  if (isBusy()) {
    setTimeout(() => whenIdle(() => loadNext(isBusy)), PAUSE_MS);
    return;
  }
  const code = waiting.shift();
  if (code === undefined) return;
  if (code.read().kind === 'wanted') void code.loadAhead().then(() => whenIdle(() => loadNext(isBusy)));
  else loadNext(isBusy);
}

/** Begins once, when the first page is there and has its answers. */
export function loadAhead(isBusy: () => boolean): void {
  if (hasBegun) return;
  hasBegun = true;
  whenIdle(() => loadNext(isBusy));
}
