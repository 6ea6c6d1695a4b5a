/* api/checks.ts — what the engine thinks of a text that is not published: every family, JSON or YAML. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { authorizedFetch, type Schemas } from './client';
import { problemOf } from './problem';

export type Checks = Schemas['Checks'];
export type CheckedProblem = Schemas['Problem'];

export const typeOfText = (text: string) =>
  text.trimStart().startsWith('{') ? 'application/json' : 'application/yaml';

export async function checkText(text: string, signal?: AbortSignal): Promise<Checks> {
  const response = await authorizedFetch('/api/checks', {
    method: 'POST',
    headers: { 'Content-Type': typeOfText(text) },
    body: text,
    ...(signal === undefined ? {} : { signal }),
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok || typeof body !== 'object' || body === null) throw problemOf(response.status, body);
  return body as Checks;
}

/** The text is the key: what is typed and taken back is known already. */
export const checksQuery = (text: string) =>
  queryOptions({
    queryKey: ['checks', undefined, 'text', text],
    queryFn: ({ signal }) => checkText(text, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
