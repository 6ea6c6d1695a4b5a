/* pages/inbox/task-lists.ts — the lists of the inbox: what is mine, what my groups may take, what is everybody's. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';

import { groupTasksQuery, type Task, tasksQuery } from '../../api/tasks';
import type { Person } from '../../ui/person';
import { formatCount, listWords } from '../../ui/words';
import { t } from '../../texts/inbox';

export const WHOSES = ['mine', 'groups', 'all'] as const;
export type Whose = (typeof WHOSES)[number];
export const WHOSE_WORDS: { readonly [K in Whose]: string } = {
  mine: t.mine,
  groups: t.myGroups,
  all: t.all,
};

export function parseWhose(search: string): Whose {
  const word = new URLSearchParams(search).get('for');
  return WHOSES.find((one) => one === word) ?? 'mine';
}

export function printWhose(whose: Whose): string {
  return whose === 'mine' ? '' : `?for=${whose}`;
}

export interface Section {
  readonly title: string;
  readonly order: string;
  readonly tasks: readonly Task[];
}

export interface TaskLists {
  readonly sections: readonly Section[];
  readonly counts: ReadonlyMap<Whose, string>;
  readonly isPending: boolean;
  readonly problem: Error | null;
  readonly retry: () => void;
  readonly hasMore: boolean;
  readonly more: () => void;
}

/** The task that is due first in front; no due time comes after every time, then the oldest. */
const dueKey = (task: Task) => `${task.due ?? '~'} ${task.createdAt}`;

/** One list of several: each task once, what is due first in front. */
export function mergeByDue(lists: readonly (readonly Task[])[]): readonly Task[] {
  const byId = new Map(lists.flat().map((task) => [task.id, task]));
  return [...byId.values()].sort((one, other) => (dueKey(one) < dueKey(other) ? -1 : 1));
}

export interface GroupList {
  readonly tasks: readonly Task[];
  /** There are tasks behind these that are not known yet. */
  readonly hasMore: boolean;
}

/** As mergeByDue(), up to where every list is known: behind that a task of another list could still come in between. */
export function mergeKnown(lists: readonly GroupList[]): readonly Task[] {
  const ends = lists.flatMap(({ tasks, hasMore }) => {
    const last = tasks[tasks.length - 1];
    return hasMore && last !== undefined ? [dueKey(last)] : [];
  });
  const merged = mergeByDue(lists.map(({ tasks }) => tasks));
  return merged.filter((task) => ends.every((end) => dueKey(task) <= end));
}

type Pages = InfiniteData<{ readonly items: readonly Task[] }> | undefined;
const tasksOf = (data: Pages): readonly Task[] => data?.pages.flatMap((page) => page.items) ?? [];

function useGroupTasks(person: Person) {
  const query = useInfiniteQuery({ ...groupTasksQuery(person.groups), enabled: person.groups.length > 0 });
  const lists = new Map<string, GroupList>();
  for (const page of query.data?.pages ?? [])
    for (const { group, items, next } of page)
      lists.set(group, {
        tasks: [...(lists.get(group)?.tasks ?? []), ...items],
        hasMore: next !== undefined,
      });
  return { ...query, tasks: mergeKnown([...lists.values()]) };
}

const countWord = (count: number, isMore: boolean) => `${formatCount(count)}${isMore ? '+' : ''}`;

export function useTaskLists(whose: Whose, person: Person): TaskLists {
  const mine = useInfiniteQuery(tasksQuery({ person: person.name }));
  const ours = useGroupTasks(person);
  const all = useInfiniteQuery({ ...tasksQuery({ everybody: true }), enabled: whose === 'all' });
  const counts = new Map<Whose, string>();
  if (mine.data !== undefined) counts.set('mine', countWord(tasksOf(mine.data).length, mine.hasNextPage));
  if (person.groups.length > 0 && !ours.isPending)
    counts.set('groups', countWord(ours.tasks.length, ours.hasNextPage));
  if (all.data !== undefined) counts.set('all', countWord(tasksOf(all.data).length, all.hasNextPage));
  const own = whose === 'all' ? all : mine;
  const paged = whose === 'groups' ? ours : own;
  return {
    sections: sectionsOf(whose, person, tasksOf(own.data), ours.tasks),
    counts,
    // A person in no group waits for nothing.
    isPending: paged.isPending && (whose !== 'groups' || person.groups.length > 0),
    problem: paged.error,
    retry: () => void paged.refetch(),
    hasMore: paged.hasNextPage && !paged.isFetchingNextPage,
    more: () => void paged.fetchNextPage(),
  };
}

function sectionsOf(
  whose: Whose,
  person: Person,
  own: readonly Task[],
  ours: readonly Task[],
): readonly Section[] {
  const groups = listWords(person.groups);
  switch (whose) {
    case 'mine': {
      const known = new Set(own.map((task) => task.id));
      const free = ours.filter((task) => task.assignee === undefined && !known.has(task.id));
      const first = { title: t.forMe, order: t.dueFirst, tasks: own };
      return free.length === 0
        ? [first]
        : [first, { title: t.forNotTakenYet2(groups), order: '', tasks: free }];
    }
    case 'groups':
      return [{ title: groups === '' ? t.youAreInNoGroup : t.for(groups), order: t.dueFirst, tasks: ours }];
    case 'all':
      return [{ title: t.forEverybody, order: t.oldestFirst, tasks: own }];
  }
}
