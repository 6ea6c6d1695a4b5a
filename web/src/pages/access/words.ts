/* pages/access/words.ts — parts of the page, and what people type as the engine wants it. Pure. */
import type { Permission } from '../../ui/permissions';

interface Part {
  readonly word: string;
  readonly needs: Permission;
}

/** Users, issuers and tenants belong to admins of all tenants. */
export const PARTS = {
  users: { word: 'Users', needs: 'global:admin' },
  keys: { word: 'Keys', needs: 'access:admin' },
  grants: { word: 'Grants and groups', needs: 'access:admin' },
  issuers: { word: 'Issuers', needs: 'global:admin' },
  tenants: { word: 'Tenants', needs: 'global:admin' },
  refusals: { word: 'Refusals', needs: 'access:admin' },
  explain: { word: 'What may this one do?', needs: 'access:admin' },
} as const satisfies Readonly<Record<string, Part>>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

/** "hr, team leads ,hr" → ["hr", "team leads"]. */
export function readList(text: string): readonly string[] {
  const names = text.split(/[,\n]/).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

/** A text for the engine: an empty one takes the member away. */
export const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The members that have a value, for something new. */
export function present(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0) && value !== false,
    ),
  );
}

/** "user:ada" → "ada, a user". */
export function holderWords(to: string): string {
  const [kind = '', ...rest] = to.split(':');
  const name = rest.join(':');
  const words: Readonly<Record<string, string>> = { user: 'user', group: 'group', key: 'key' };
  return words[kind] === undefined ? to : `${name}, a ${words[kind]}`;
}

/** The end of a day in local time, as the engine writes times; null: the engine's own choice. */
export function endOfDay(day: string): string | null {
  const date = new Date(`${day}T23:59:59`);
  return day === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The limits of a tenant, with what each counts. */
export const QUOTAS = {
  activeInstances: 'Runs that are not over',
  startsPerSecond: 'Starts in a second',
  jobsInFlight: 'Jobs in work',
  storedBytes: 'Bytes in the store',
  definitions: 'Flows',
  keys: 'Keys',
  schedules: 'Schedules',
  streams: 'Open streams',
} as const;
export type Quota = keyof typeof QUOTAS;
export const QUOTA_NAMES = Object.keys(QUOTAS) as readonly Quota[];

/** Roles that claims give: "admin=pawl-admins, sre" in a line each ↔ {admin: ["pawl-admins", "sre"]}. */
export function readRoleMap(text: string): Record<string, readonly string[]> {
  const lines = text.split('\n').map((line) => line.split('='));
  return Object.fromEntries(
    lines
      .map(([role = '', ...names]) => [role.trim(), readList(names.join('='))] as const)
      .filter(([role, names]) => role !== '' && names.length > 0),
  );
}

export function printRoleMap(map: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(map)
    .map(([role, names]) => `${role}=${names.join(', ')}`)
    .join('\n');
}

interface Member {
  readonly name: string;
  readonly groups: readonly string[];
}
interface Given {
  readonly to: string;
  readonly role: string;
}

export interface Group {
  readonly name: string;
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

/** The groups that users or grants name. A provider may know others. */
export function groupsOf(users: readonly Member[], grants: readonly Given[]): readonly Group[] {
  const names = new Set(users.flatMap(({ groups }) => groups));
  for (const { to } of grants) if (to.startsWith('group:')) names.add(to.slice('group:'.length));
  return [...names].sort().map((name) => ({
    name,
    users: users.filter(({ groups }) => groups.includes(name)).map((user) => user.name),
    roles: [...new Set(grants.filter(({ to }) => to === `group:${name}`).map(({ role }) => role))],
  }));
}
