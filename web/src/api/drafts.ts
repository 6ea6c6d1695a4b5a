/* api/drafts.ts — documents being edited. They are read as text by our own reader, since JSON.parse would round long numbers, and
 * saved only over the version that was read: somebody else's changes are never overwritten. */
import { queryOptions } from '@tanstack/react-query';

import { isList, isObject, type Json, type JsonObject, parseJson, printJson, textOf } from '../flow/json';
import { isMadeFrom, slugOf, underId } from '../flow/under-id';
import { t } from '../texts/ui';
import { api, authorizedFetch, ok, type Schemas } from './client';
import { Problem, problemOf } from './problem';

export interface Draft {
  readonly document: Json;
  /** The draft's revision; null: there is no draft yet, the document is what is published. */
  readonly etag: string | null;
  /** The latest published version; 0: none. */
  readonly version: number;
  readonly savedAt: string | null;
  /** The person who saved it last; empty: unknown. */
  readonly author: string;
}

/** Somebody who has a draft open, and on how many pages. */
export interface Reader {
  readonly name: string;
  readonly pages: number;
}

/** A draft as it is now, and who has it open. */
export interface DraftNow {
  readonly draft: Draft;
  readonly readers: readonly Reader[];
}

async function read(response: Response): Promise<Json> {
  const outcome = parseJson(await response.text());
  if (!outcome.ok) throw new Problem(response.status, 'UNREADABLE', outcome.mistake.message, null);
  return outcome.value;
}

async function refuse(response: Response): Promise<never> {
  const text = await response.text();
  const outcome = parseJson(text);
  throw problemOf(response.status, outcome.ok ? outcome.value : text);
}

const address = (id: string) => `/api/workflows/${encodeURIComponent(id)}`;
const etagOf = (response: Response) => response.headers.get('ETag');
const JSON_HEADERS = { 'Content-Type': 'application/json' };

async function getJson(path: string, signal?: AbortSignal): Promise<JsonObject> {
  const response = await authorizedFetch(path, signal === undefined ? {} : { signal });
  if (!response.ok) return refuse(response);
  const body = await read(response);
  return isObject(body) ? body : {};
}

const itemsOf = (body: JsonObject) => (isList(body['items']) ? body['items'].filter(isObject) : []);

/* Lists are asked before things: a browser writes each 404 into its console, where it would look like a mistake. */
async function publishedVersions(
  keyword: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const body = await getJson(`/api/workflows?pageSize=100&keyword=${encodeURIComponent(keyword)}`, signal);
  return new Map(
    itemsOf(body).map((item) => {
      const { definitionId, id, version } = item;
      const name = typeof definitionId === 'string' ? definitionId : typeof id === 'string' ? id : '';
      return [name, typeof version === 'number' ? version : 0];
    }),
  );
}

const PAGES_MAX = 20;

async function draftIds(signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let after = '';
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const body = await getJson(`/api/workflows/drafts?pageSize=100${query}`, signal);
    for (const { definitionId } of itemsOf(body)) if (typeof definitionId === 'string') ids.add(definitionId);
    const next = body['nextAfter'];
    if (typeof next !== 'string' || next === '') break;
    after = next;
  }
  return ids;
}

/** The draft of a flow, or what is published of it. */
export async function getDraft(id: string, signal?: AbortSignal): Promise<Draft> {
  const [drafts, versions] = await Promise.all([draftIds(signal), publishedVersions(id, signal)]);
  const version = versions.get(id) ?? 0;
  if (version > 0 && !drafts.has(id)) {
    const body = await getJson(address(id), signal);
    return { document: body['document'] ?? null, etag: null, version, savedAt: null, author: '' };
  }
  return (await readDraft(id, version, signal)).draft;
}

const readersOf = (body: JsonObject): readonly Reader[] =>
  (isList(body['openBy']) ? body['openBy'].filter(isObject) : []).map(({ name, pages }) => ({
    name: textOf(name),
    pages: typeof pages === 'number' ? pages : 1,
  }));

async function readDraft(id: string, version: number, signal?: AbortSignal): Promise<DraftNow> {
  const response = await authorizedFetch(`${address(id)}/draft`, signal === undefined ? {} : { signal });
  if (!response.ok) return refuse(response);
  const body = await read(response);
  const at = isObject(body) && typeof body['updatedAt'] === 'string' ? body['updatedAt'] : null;
  const draft: Draft = {
    document: (isObject(body) ? body['document'] : null) ?? null,
    etag: etagOf(response),
    version,
    savedAt: at,
    author: isObject(body) ? textOf(body['author']) : '',
  };
  return { draft, readers: isObject(body) ? readersOf(body) : [] };
}

/** A draft that others may change, too: asked again whenever somebody saves, opens or leaves it. */
export const draftNowQuery = (id: string, isThere: boolean) =>
  queryOptions({
    queryKey: ['drafts', id, 'now'],
    // Null: it has been published or discarded. The list is asked first, see above.
    queryFn: async ({ signal }) => ((await draftIds(signal)).has(id) ? readDraft(id, 0, signal) : null),
    enabled: isThere,
    gcTime: 0,
    retry: false,
  });

/** The number in an ETag of the engine; 0: there is none. */
export const revisionOf = (etag: string | null): number => Number(/\d+/.exec(etag ?? '')?.[0] ?? 0);

/** Saves over `etag`, or as the first draft; a Problem with status 412 if somebody else was faster. */
export async function putDraft(
  id: string,
  document: Json,
  etag: string | null,
): Promise<{ etag: string | null; savedAt: string }> {
  const response = await authorizedFetch(`${address(id)}/draft`, {
    method: 'PUT',
    headers: { ...JSON_HEADERS, ...(etag === null ? { 'If-None-Match': '*' } : { 'If-Match': etag }) },
    body: printJson(document),
  });
  if (!response.ok) return refuse(response);
  const body = await read(response);
  const at = isObject(body) && typeof body['updatedAt'] === 'string' ? body['updatedAt'] : '';
  return { etag: etagOf(response), savedAt: at };
}

/** Removes a draft; with `etag` only as it was when it was read. */
export async function deleteDraft(id: string, etag: string | null = null): Promise<void> {
  const response = await authorizedFetch(`${address(id)}/draft`, {
    method: 'DELETE',
    ...(etag === null ? {} : { headers: { 'If-Match': etag } }),
  });
  if (!response.ok && response.status !== 404) await refuse(response);
}

export type DraftItem = Schemas['Draft'];

const LISTED_MAX = 500;

/** All drafts, the one that was saved last in front. */
export const draftsQuery = () =>
  queryOptions({
    queryKey: ['drafts', undefined, 'list'],
    queryFn: async ({ signal }) => {
      const items: DraftItem[] = [];
      let after: string | undefined;
      do {
        const query = { pageSize: 100, ...(after === undefined ? {} : { after }) };
        const page = await ok(api.GET('/api/workflows/drafts', { params: { query }, signal }));
        items.push(...page.items);
        after = page.nextAfter;
      } while (after !== undefined && items.length < LISTED_MAX);
      return items.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
    },
  });

/** A second draft of the same document, under a new name. */
export async function copyDraft(id: string): Promise<string> {
  const { document } = await getDraft(id);
  const name = t.copyOf(nameOf(document, id));
  return createDraft(slugOf(name), (next) => underId(named(document, name), next));
}

/** Gives a draft another name. Its id follows as long as nothing is published under it; returns the id. */
export async function renameDraft(id: string, name: string): Promise<string> {
  const { document, etag, version } = await getDraft(id);
  if (!isObject(document)) throw new Problem(400, 'NO_FLOW', t.openItItsText, null);
  const renamed = named(document, name);
  if (version > 0 || isMadeFrom(id, name)) {
    await putDraft(id, renamed, etag);
    return id;
  }
  const next = await createDraft(slugOf(name), (made) => underId(renamed, made));
  try {
    await deleteDraft(id, etag);
  } catch (thrown) {
    // Somebody has changed it in between: theirs stays, and nothing is there twice.
    await deleteDraft(next);
    throw thrown;
  }
  return next;
}

const nameOf = (document: Json, id: string): string =>
  (isObject(document) ? textOf(document['name']) || textOf(document['entityName']) : '') || id;

const named = (document: Json, name: string): Json => (isObject(document) ? { ...document, name } : document);

/** Publishes a document; the version that it has now. */
export async function publishDocument(
  text: string,
  key: string,
): Promise<{ definitionId: string; version: number }> {
  const response = await authorizedFetch('/api/workflows', {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'Idempotency-Key': key },
    body: text,
  });
  if (!response.ok) return refuse(response);
  const body = await read(response);
  const { definitionId, version } = isObject(body) ? body : {};
  return {
    definitionId: typeof definitionId === 'string' ? definitionId : '',
    version: typeof version === 'number' ? version : 0,
  };
}

const TRIES = 50;

/** Makes a draft under a new id that begins with `stem`, and returns the id. */
export async function createDraft(stem: string, document: (id: string) => Json): Promise<string> {
  const [drafts, versions] = await Promise.all([draftIds(), publishedVersions(stem)]);
  for (let number = 1; number <= TRIES; number++) {
    const id = number === 1 ? stem : `${stem}-${number}`;
    if (drafts.has(id) || versions.has(id)) continue;
    try {
      await putDraft(id, document(id), null);
      return id;
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.status !== 412) throw thrown;
    }
  }
  throw new Problem(409, 'NO_ID', t.everyNameLikeIsTaken(stem), null);
}

export interface CheckProblem {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly pointer: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  readonly line: number;
  readonly column: number;
  readonly fix?: {
    readonly label: string;
    readonly patch: readonly { op: string; path: string; from?: string; value?: Json }[];
  };
}

/** The problems that the engine finds in a document. */
export async function checkDocument(text: string, signal: AbortSignal): Promise<readonly CheckProblem[]> {
  const response = await authorizedFetch('/api/checks', {
    method: 'POST',
    headers: JSON_HEADERS,
    body: text,
    signal,
  });
  if (!response.ok) return refuse(response);
  const body = (await response.json()) as { errors?: CheckProblem[]; warnings?: CheckProblem[] };
  return [...(body.errors ?? []), ...(body.warnings ?? [])];
}
