/* api/templates.ts — the flows to begin with that ship with the engine. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok } from './client';

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) => (await ok(api.GET('/api/templates', { signal }))).items,
  staleTime: Infinity,
});
