/* pages/entities/audit-entries.ts — what happened to an entity, one entry for each transaction, in the engine's words. */
import type { EntityAuditEvent } from '../../api/entities';
import { t } from '../../texts/entities';

export interface AuditLine {
  readonly text: string;
  readonly isWarning: boolean;
}

export interface AuditEntry {
  readonly transactionId: string;
  readonly at: string;
  /** Empty: nobody who said so. */
  readonly actor: string;
  readonly lines: readonly AuditLine[];
}

const CHANGES: Readonly<Record<string, string>> = {
  CREATE: t.itsDataAreThere,
  UPDATE: t.itsDataChanged,
  DELETE: t.itIsDeleted,
};

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lineOf(event: EntityAuditEvent): AuditLine | null {
  const isWarning = event.severity === 'WARN';
  if (event.auditEventType === 'StateMachine') {
    const reason: unknown = event.data === null ? undefined : Reflect.get(event.data, 'reason');
    const why = typeof reason === 'string' && !event.details.includes('does not match') ? ` (${reason})` : '';
    return { text: sentence(event.details) + why, isWarning };
  }
  const { before, after } = event.changes ?? {};
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (event.changeType === 'UPDATE' && names.length === 0) return null;
  const what = event.changeType === 'UPDATE' ? `: ${names.join(', ')}` : '';
  return { text: (CHANGES[event.changeType] ?? event.changeType) + what, isWarning };
}

/** Newest first, as the engine gives them; the lines of an entry are in the order in which they happened. */
export function auditEntries(events: readonly EntityAuditEvent[]): readonly AuditEntry[] {
  const entries = new Map<string, { at: string; actor: string; lines: AuditLine[] }>();
  for (const event of events) {
    const id = event.transactionId ?? event.utcTime;
    const entry = entries.get(id) ?? { at: event.utcTime, actor: '', lines: [] };
    if (event.auditEventType === 'EntityChange') entry.actor = event.system ? 'timer' : event.actor.name;
    const line = lineOf(event);
    if (line !== null) entry.lines.unshift(line);
    entries.set(id, entry);
  }
  return [...entries].map(([transactionId, entry]) => ({ transactionId, ...entry }));
}

export interface Diff {
  readonly op: '+' | '~' | '-';
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The members that are not the same, by name. */
export function diffOf(
  changes: { readonly before?: unknown; readonly after?: unknown } | null,
): readonly Diff[] {
  const membersOf = (side: unknown) =>
    new Map<string, unknown>(typeof side === 'object' && side !== null ? Object.entries(side) : []);
  const before = membersOf(changes?.before);
  const after = membersOf(changes?.after);
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => ({
    name,
    op: !before.has(name) ? '+' : !after.has(name) ? '-' : '~',
    before: before.get(name),
    after: after.get(name),
  }));
}

export interface Path {
  readonly visited: ReadonlySet<string>;
  /** Pairs of states. */
  readonly taken: readonly (readonly [string, string])[];
}

/** The states that it went through, from what is known of its audit; `state` is where it is. */
export function pathOf(events: readonly EntityAuditEvent[], state: string): Path {
  const left = events
    .flatMap((event) =>
      event.auditEventType === 'StateMachine' && event.eventType === 'TRANSITION_MAKE' ? [event.state] : [],
    )
    .reverse();
  const all = [...left, state];
  return {
    visited: new Set(all),
    taken: left.map((from, index) => [from, all[index + 1] ?? state] as const),
  };
}
