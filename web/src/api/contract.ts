/* api/contract.ts — the description of the API, as this very engine serves it. */
import { queryOptions } from '@tanstack/react-query';

import { type Json, parseJson } from '../flow/json';
import { authorizedFetch } from './client';
import { Problem, problemOf } from './problem';

export const contractQuery = () =>
  queryOptions({
    queryKey: ['contract'],
    queryFn: async ({ signal }): Promise<Json> => {
      const response = await authorizedFetch('/openapi.json', { signal });
      const text = await response.text();
      if (!response.ok) throw problemOf(response.status, text);
      const outcome = parseJson(text);
      if (!outcome.ok) throw new Problem(500, 'UNREADABLE', outcome.mistake.message, null);
      return outcome.value;
    },
    staleTime: Infinity,
  });
