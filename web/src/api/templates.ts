/* api/templates.ts — the flows to begin with that ship with the engine. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok } from './client';

const fetchTemplates = async (signal: AbortSignal) => (await ok(api.GET('/api/templates', { signal }))).items;

export type Template = Awaited<ReturnType<typeof fetchTemplates>>[number];

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: ({ signal }) => fetchTemplates(signal),
  staleTime: Infinity,
});
