/* ui/permissions.ts — the engine's words for what one may do, and the roles that have each: PERMISSION_MAP of the engine
 * (tests/docs/test_permission_words.py). Pure. */
import { t } from '../texts/ui';

export const ROLES = ['viewer', 'person', 'worker', 'sender', 'builder', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The purpose of each role, in a few words. */
export const ROLE_WORDS: { readonly [K in Role]: string } = {
  viewer: t.looksAtEverything,
  person: t.answersTasksAndStartsWhat,
  worker: t.doesJobsForTheEngine,
  sender: t.startsRunsSendsEvents,
  builder: t.makesAndPublishesFlows,
  operator: t.repairsRetryCancelPause,
  admin: t.everythingAccessIncluded,
};

/** The roles beside admin, which has every one of these. Only an admin of all tenants has global:admin. */
const HOLDERS = {
  'definitions:read': ['viewer', 'person', 'worker', 'sender', 'builder', 'operator'],
  'definitions:write': ['builder'],
  'instances:read': ['viewer', 'worker', 'sender', 'builder', 'operator'],
  'instances:start': ['person', 'sender'],
  'instances:operate': ['operator'],
  'jobs:work': ['worker'],
  'tasks:read': ['viewer', 'person', 'operator'],
  'tasks:own': ['person'],
  'tasks:all': ['operator'],
  'events:send': ['sender'],
  'entities:read': ['viewer', 'worker', 'sender', 'builder', 'operator'],
  'entities:write': ['worker', 'sender'],
  'triggers:operate': ['builder', 'operator'],
  'secrets:use': ['builder'],
  'secrets:write': [],
  'metrics:read': ['viewer', 'operator'],
  'audit:read': [],
  'access:admin': [],
  'global:admin': [],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof HOLDERS;
export const PERMISSIONS = Object.keys(HOLDERS) as readonly Permission[];

export const holdersOf = (permission: Permission): readonly Role[] => [...HOLDERS[permission], 'admin'];

/** Why something is not offered: "An operator or an admin can do this." */
export function whoCan(permission: Permission): string {
  if (permission === 'global:admin') return t.anAdminOfAllTenants;
  return t.canDoThis(holdersOf(permission));
}
