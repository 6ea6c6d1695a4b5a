/* api/tasks.ts — people's tasks: lists, one task, and what people do with them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { api, done, ok, type Schemas } from './client';
import { getMe, isOpen } from './me';
import { actorHeader } from './who';

export type Task = Schemas['Task'];

/** The owner of the tasks: one person, who has them or may take them by name, or everybody. */
export type TaskFilter = { readonly person: string } | { readonly everybody: true };

const PAGE_SIZE = 50;
const GROUP_PAGE_SIZE = 50;

export const tasksQuery = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: ['tasks', undefined, filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = 'everybody' in filter ? {} : filter;
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      return ok(
        api.GET('/api/tasks', { params: { query: { ...query, ...cursor, pageSize: PAGE_SIZE } }, signal }),
      );
    },
    getNextPageParam: (page) => page.nextCursor,
  });

/** Where each group's list goes on; a group that is not in it has ended. */
type GroupCursors = Readonly<Record<string, string>>;

function firstCursors(groups: readonly string[]): GroupCursors {
  return Object.fromEntries(groups.map((group) => [group, '']));
}

/** The lists of several groups, page by page: each page has the next tasks of every group that has more. */
export const groupTasksQuery = (groups: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: ['tasks', undefined, { groups }],
    initialPageParam: firstCursors(groups),
    queryFn: async ({ pageParam, signal }) => {
      const pages = await Promise.all(
        Object.entries(pageParam).map(async ([group, cursor]) => {
          const query = { group, pageSize: GROUP_PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) };
          const page = await ok(api.GET('/api/tasks', { params: { query }, signal }));
          return { group, items: page.items, next: page.nextCursor };
        }),
      );
      return pages;
    },
    getNextPageParam: (pages) => {
      const more = pages.flatMap(({ group, next }) => (next === undefined ? [] : [[group, next] as const]));
      return more.length === 0 ? undefined : Object.fromEntries(more);
    },
  });

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ['tasks', id],
    queryFn: ({ signal }) => ok(api.GET('/api/tasks/{id}', { params: { path: { id } }, signal })),
  });

/** The run that waits for a task. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', id],
    queryFn: ({ signal }) => ok(api.GET('/api/instances/{id}', { params: { path: { id } }, signal })),
  });

/** The deed of a person, the name, and the key that makes sending it twice do it once. */
export interface TaskAct {
  readonly id: string;
  readonly by: string;
  readonly key: string;
}

/* An answer that was kept is sent for the person who gave it. */
const paramsOf = ({ id, by, key }: TaskAct) => ({
  path: { id },
  header: { 'Idempotency-Key': key, ...actorHeader(by) },
});

export const claimTask = (act: TaskAct, groups: readonly string[]) =>
  done(
    api.POST('/api/tasks/{id}/claim', {
      params: paramsOf(act),
      // The engine knows the groups of whoever is signed in.
      body: { by: act.by, ...(isOpen(getMe()) ? { groups: [...groups] } : {}) },
    }),
  );

export const unclaimTask = (act: TaskAct) =>
  done(api.POST('/api/tasks/{id}/unclaim', { params: paramsOf(act), body: { by: act.by } }));

export const assignTask = (act: TaskAct, assignee: string, comment: string) =>
  done(
    api.POST('/api/tasks/{id}/assign', {
      params: paramsOf(act),
      body: { by: act.by, assignee, ...(comment === '' ? {} : { comment }) },
    }),
  );

export const commentTask = (act: TaskAct, comment: string) =>
  done(api.POST('/api/tasks/{id}/comment', { params: paramsOf(act), body: { by: act.by, comment } }));

export const completeTask = (act: TaskAct, decision: string | undefined, answer: Record<string, unknown>) =>
  done(
    api.POST('/api/tasks/{id}/complete', {
      params: paramsOf(act),
      body: { by: act.by, answer, ...(decision === undefined ? {} : { decision }) },
    }),
  );

/** The texts of a task's `decisions`; an author may have written anything there. */
export function decisionsOf(task: Task): readonly string[] {
  return Array.isArray(task.decisions) ? task.decisions.filter((one) => typeof one === 'string') : [];
}
