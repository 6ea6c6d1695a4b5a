/* api/workers.ts — who does the jobs: workers that poll, the engine's own performers, and calculation members. */
import { queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';

export type JobType = Schemas['Workers']['jobTypes'][number];
export type Performer = Schemas['Workers']['performers'][number];

export const workersQuery = () =>
  queryOptions({
    queryKey: ['workers'],
    queryFn: ({ signal }) => ok(api.GET('/api/workers', { signal })),
    refetchInterval: 10_000, // Polls are no news of the engine; their times are worth a look now and then.
  });
