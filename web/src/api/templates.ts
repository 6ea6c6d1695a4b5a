/* api/templates.ts — the flows to begin with that ship with the engine. */
import { queryOptions } from '@tanstack/react-query';

import type { Json } from '../flow/json';

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly document: Json;
}

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: (): readonly Template[] => [],
  staleTime: Infinity,
});
