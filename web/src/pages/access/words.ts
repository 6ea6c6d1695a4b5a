/* pages/access/words.ts — parts of the page, and what people type as the engine wants it. Pure. */
import type { Permission } from '../../ui/permissions';
import { t } from '../../texts/access';
import { sayPhrase } from '../../texts/engine';

interface Part {
  readonly word: string;
  readonly needs: Permission;
}

/** Users, issuers and tenants belong to admins of all tenants. */
export const PARTS = {
  users: { word: t.partUsers, needs: 'global:admin' },
  keys: { word: t.partKeys, needs: 'access:admin' },
  grants: { word: t.partGrants, needs: 'access:admin' },
  issuers: { word: t.partIssuers, needs: 'global:admin' },
  tenants: { word: t.partTenants, needs: 'global:admin' },
  refusals: { word: t.partRefusals, needs: 'access:admin' },
  explain: { word: t.partExplain, needs: 'access:admin' },
} as const satisfies Readonly<Record<string, Part>>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

/** Why somebody may do something or was refused, and what gives it. */
export const sayReason = (own: string): string => sayPhrase('reasons', own) || own;

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
  const words: Readonly<Record<string, string>> = { user: t.user, group: t.group2, key: t.key };
  return words[kind] === undefined ? to : t.a(name, words[kind]);
}

/** The end of a day in local time, as the engine writes times; null: the engine's own choice. */
export function endOfDay(day: string): string | null {
  const date = new Date(`${day}T23:59:59`);
  return day === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The limits of a tenant, with what each counts. */
export const QUOTAS = {
  activeInstances: t.quotaRuns,
  startsPerSecond: t.quotaStarts,
  jobsInFlight: t.quotaJobs,
  storedBytes: t.quotaBytes,
  definitions: t.quotaFlows,
  keys: t.partKeys,
  schedules: t.quotaSchedules,
  streams: t.quotaStreams,
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
