/* api/live.ts — one event stream per page. An event says what changed, never what it is now: names are gathered for a moment,
 * then each query whose key begins with [kind] or [kind, id] is asked for again.
 *
 *     open ──► ready ──► changed … ──► (connection lost) ──► wait, longer each time ──► open, ask for everything again
 *
 * fetch() instead of EventSource: it can name the tenant, and it tells an HTTP error from a lost connection. */
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

import { authorizedFetch } from './client';

const GATHER_MS = 200;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 15_000;
/** The engine beats every 15 seconds; a stream that is silent for longer is dead. */
const SILENCE_MAX_MS = 40_000;

export type LiveState = 'connecting' | 'live' | 'away';

export interface Change {
  readonly kind: string;
  readonly id?: string;
}

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Takes whole events from the front of `text`; returns them and what is left. */
export function takeEvents(text: string): { events: ServerEvent[]; rest: string } {
  const parts = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = parts.pop() ?? '';
  const events = parts.map((part) => {
    let event = 'message';
    const data: string[] = [];
    for (const line of part.split('\n')) {
      if (line.startsWith('event:')) event = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    }
    return { event, data: data.join('\n') };
  });
  return { events, rest };
}

export function readChange(data: string): Change | null {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== 'object' || value === null) return null;
    const kind: unknown = Reflect.get(value, 'kind');
    const id: unknown = Reflect.get(value, 'id');
    if (typeof kind !== 'string') return null;
    return typeof id === 'string' ? { kind, id } : { kind };
  } catch {
    return null;
  }
}

type Touches = (key: QueryKey) => boolean;

/** Lists of the kinds of the changes, and all that is known of their ids. */
function touchedBy(changes: readonly Change[]): Touches {
  const kinds = new Set(changes.map((change) => change.kind));
  const all = new Set(changes.filter((change) => change.id === undefined).map((change) => change.kind));
  const ids = new Set(changes.map((change) => `${change.kind}/${change.id ?? ''}`));
  return ([kind, id]) => {
    if (typeof kind !== 'string' || !kinds.has(kind)) return false;
    return typeof id !== 'string' || all.has(kind) || ids.has(`${kind}/${id}`);
  };
}

/** Asks for everything that the changes touch: lists of the kind, and what is known of the id. */
export function invalidateChanges(queries: QueryClient, changes: readonly Change[]): void {
  const touches = touchedBy(changes);
  void queries.invalidateQueries({ predicate: ({ queryKey }) => touches(queryKey) });
}

/** The one thing that a page is about. When it may have changed, the page asks first whether it is there: if it is gone, nothing of it is
 * asked for again. */
export interface Subject {
  readonly id: string;
  readonly isThere: () => Promise<boolean>;
  readonly onGone: () => void;
}

/* Asks again for what is touched; for what is about the subject only if that is still there. */
function askAgain(queries: QueryClient, touches: Touches, subject: Subject | null): void {
  const isAbout = (key: QueryKey) => subject !== null && key[1] === subject.id;
  void queries.invalidateQueries({ predicate: ({ queryKey }) => touches(queryKey) && !isAbout(queryKey) });
  const about = { predicate: ({ queryKey }: Query) => touches(queryKey) && isAbout(queryKey) };
  if (subject === null || queries.getQueryCache().findAll({ ...about, type: 'active' }).length === 0) {
    void queries.invalidateQueries(about); // No page shows it now.
    return;
  }
  subject.isThere().then(
    (isThere) => (isThere ? void queries.invalidateQueries(about) : subject.onGone()),
    () => void queries.invalidateQueries(about), // The page says what is wrong with the engine.
  );
}

export interface Live {
  readonly state: () => LiveState;
  readonly subscribe: (listener: () => void) => () => void;
  /** While it is held nothing is asked for: what has changed meanwhile is asked for when it is held no more. */
  readonly hold: (isHeld: boolean) => void;
  readonly close: () => void;
}

/** Opens the stream of a page, which may say that it has a draft open. While the page is hidden the stream is closed: over HTTP/1.1 all tabs share six connections. */
export function openLive(
  topics: readonly string[],
  queries: QueryClient,
  draft = '',
  subject: Subject | null = null,
): Live {
  let state: LiveState = 'connecting';
  let isClosed = false;
  let waitMs = WAIT_FIRST_MS;
  let abort: AbortController | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let gatherTimer: ReturnType<typeof setTimeout> | undefined;
  let gathered: Change[] = [];
  let flushedAt = 0;
  let isHeld = false;
  let hasMissed = false;
  const listeners = new Set<() => void>();

  const setState = (next: LiveState) => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };

  const askForAll = () => {
    hasMissed = isHeld;
    if (!isHeld) askAgain(queries, () => true, subject);
  };

  const flush = () => {
    gatherTimer = undefined;
    if (isHeld) return;
    flushedAt = Date.now();
    askAgain(queries, touchedBy(gathered), subject);
    gathered = [];
  };

  const take = ({ event, data }: ServerEvent) => {
    if (event === 'ready') {
      // The page has missed all that happened before the stream was open.
      if (state === 'away') askForAll();
      waitMs = WAIT_FIRST_MS;
      setState('live');
    } else if (event === 'reset') {
      setState('live');
      askForAll();
    } else if (event === 'changed') {
      const change = readChange(data);
      if (change === null) return;
      gathered.push(change);
      // The first after a silence is asked for at once: the engine has gathered already. Others wait for their round.
      gatherTimer ??= setTimeout(flush, Math.max(0, flushedAt + GATHER_MS - Date.now()));
    }
  };

  const read = async (signal: AbortController) => {
    const open = draft === '' ? '' : `&draft=${encodeURIComponent(draft)}`;
    const address = `/api/live?topics=${topics.map(encodeURIComponent).join(',')}${open}`;
    const response = await authorizedFetch(address, {
      signal: signal.signal,
      headers: { Accept: 'text/event-stream' },
    });
    if (!response.ok || response.body === null) throw new Error(`The stream answered ${response.status}.`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const silence = setTimeout(() => signal.abort(), SILENCE_MAX_MS);
      const { done, value } = await reader.read();
      clearTimeout(silence);
      if (done) return;
      const taken = takeEvents(text + value);
      text = taken.rest;
      for (const event of taken.events) take(event);
    }
  };

  const run = () => {
    if (isClosed || document.hidden) return;
    const mine = new AbortController();
    abort = mine;
    const over = () => {
      if (isClosed || abort !== mine) return;
      abort = null;
      if (document.hidden) return;
      setState('away');
      retryTimer = setTimeout(run, waitMs);
      waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
    };
    read(mine).then(over, over);
  };

  const stop = () => {
    clearTimeout(retryTimer);
    const mine = abort;
    abort = null;
    mine?.abort();
  };

  const onVisibility = () => {
    stop();
    if (document.hidden) return;
    askForAll();
    run();
  };

  document.addEventListener('visibilitychange', onVisibility);
  run();
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hold: (next) => {
      isHeld = next;
      if (isHeld) return;
      if (hasMissed) askForAll();
      if (gathered.length > 0) flush();
    },
    close: () => {
      isClosed = true;
      clearTimeout(gatherTimer);
      document.removeEventListener('visibilitychange', onVisibility);
      stop();
    },
  };
}
