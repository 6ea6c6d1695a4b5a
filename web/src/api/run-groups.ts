/* api/run-groups.ts — runs counted by what holds them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api, ok, type Schemas } from './client';
import type { operations } from './schema';
import { sayGrouped } from './titled';

export type RunGroup = Schemas['RunGroups']['groups'][number];
export type GroupsAsked = NonNullable<operations['groupRuns']['parameters']['query']>;

/** Counting looks at thousands of runs, so a change does not ask for it again: its key is none of the stream's words. */
export const runGroupsQuery = (asked: GroupsAsked) =>
  queryOptions({
    queryKey: ['run groups', asked],
    queryFn: ({ signal }): Promise<Schemas['RunGroups']> =>
      ok(api.GET('/api/instances/groups', { params: { query: asked }, signal })).then((answer) => ({
        ...answer,
        groups: answer.groups.map(sayGrouped),
      })),
    placeholderData: keepPreviousData,
  });
