/* api/drafts.ts — documents being edited. They are read as text by our own reader, since JSON.parse would round long numbers, and
 * saved only over the version that was read: somebody else's changes are never overwritten. */
import { isObject, type Json, parseJson, printJson } from '../flow/json';
import { authorizedFetch } from './client';
import { Problem, problemOf } from './problem';

export interface Draft {
  readonly document: Json;
  /** The draft's revision; null: there is no draft yet, the document is what is published. */
  readonly etag: string | null;
  /** The latest published version; 0: none. */
  readonly version: number;
  readonly savedAt: string | null;
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

async function published(
  id: string,
  signal?: AbortSignal,
): Promise<{ document: Json; version: number } | null> {
  const response = await authorizedFetch(address(id), signal === undefined ? {} : { signal });
  if (response.status === 404) return null;
  if (!response.ok) return refuse(response);
  const body = await read(response);
  if (!isObject(body)) return null;
  const { document, version } = body;
  return { document: document ?? null, version: typeof version === 'number' ? version : 0 };
}

/** The draft of a flow, or what is published of it. */
export async function getDraft(id: string, signal?: AbortSignal): Promise<Draft> {
  const [response, latest] = await Promise.all([
    authorizedFetch(`${address(id)}/draft`, signal === undefined ? {} : { signal }),
    published(id, signal),
  ]);
  const version = latest?.version ?? 0;
  if (response.ok) {
    const body = await read(response);
    const at = isObject(body) && typeof body['updatedAt'] === 'string' ? body['updatedAt'] : null;
    return {
      document: (isObject(body) ? body['document'] : null) ?? null,
      etag: etagOf(response),
      version,
      savedAt: at,
    };
  }
  if (response.status !== 404) return refuse(response);
  if (latest === null) return refuse(response);
  return { document: latest.document, etag: null, version, savedAt: null };
}

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

export async function deleteDraft(id: string): Promise<void> {
  const response = await authorizedFetch(`${address(id)}/draft`, { method: 'DELETE' });
  if (!response.ok && response.status !== 404) await refuse(response);
}

/** Publishes a document; the version that it has now. */
export async function publishDocument(
  document: Json,
  key: string,
): Promise<{ definitionId: string; version: number }> {
  const response = await authorizedFetch('/api/workflows', {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'Idempotency-Key': key },
    body: printJson(document),
  });
  if (!response.ok) return refuse(response);
  const body = await read(response);
  const { definitionId, version } = isObject(body) ? body : {};
  return {
    definitionId: typeof definitionId === 'string' ? definitionId : '',
    version: typeof version === 'number' ? version : 0,
  };
}

/** Whether an id is free: nothing published and no draft. */
async function isFree(id: string): Promise<boolean> {
  const [draft, latest] = await Promise.all([authorizedFetch(`${address(id)}/draft`), published(id)]);
  return draft.status === 404 && latest === null;
}

const TRIES = 50;

/** Makes a draft under a new id that begins with `stem`, and returns the id. */
export async function createDraft(stem: string, document: (id: string) => Json): Promise<string> {
  for (let number = 1; number <= TRIES; number++) {
    const id = number === 1 ? stem : `${stem}-${number}`;
    if (!(await isFree(id))) continue;
    try {
      await putDraft(id, document(id), null);
      return id;
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.status !== 412) throw thrown;
    }
  }
  throw new Problem(409, 'NO_ID', `Every name like “${stem}” is taken.`, null);
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

const CHECKS = '/api/workflows/validate';

/** What the engine thinks of a document. */
export async function checkDocument(text: string, signal: AbortSignal): Promise<readonly CheckProblem[]> {
  const send = (path: string) =>
    authorizedFetch(path, { method: 'POST', headers: JSON_HEADERS, body: text, signal });
  const response = await send(CHECKS);
  if (!response.ok) return refuse(response);
  const body = (await response.json()) as { errors?: CheckProblem[]; warnings?: CheckProblem[] };
  return [...(body.errors ?? []), ...(body.warnings ?? [])];
}
