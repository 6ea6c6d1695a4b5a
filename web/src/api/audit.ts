/* api/audit.ts — who did what: rows, newest first, and whether the chain that they form is whole. */
import { queryOptions } from '@tanstack/react-query';

import { call } from './client';

export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly tenant?: string;
  readonly principal?: string;
  readonly for?: string;
  /** The way in: rest, grpc, ui, cli, schedule, mcp. */
  readonly way?: string;
  readonly action: string;
  readonly object?: string;
  readonly outcome?: string;
  readonly requestId?: string;
  readonly address?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly count?: number;
}

interface AuditPage {
  readonly items: readonly AuditRow[];
  readonly nextCursor?: string;
}

/** How often the newest rows are asked for while somebody follows. */
const FOLLOW_MS = 2000;

export const auditQuery = (asked: Readonly<Record<string, string>>, isFollowing: boolean) =>
  queryOptions({
    queryKey: ['audit', undefined, asked],
    queryFn: ({ signal }) => call<AuditPage>('GET', '/api/audit', { query: asked, signal }),
    refetchInterval: isFollowing ? FOLLOW_MS : false,
  });

export interface Verdict {
  /** Rows that were looked at. */
  readonly checked: number;
  /** Where a chain is broken, in words; absent: it is whole. */
  readonly broken?: string;
}

export const verifyAudit = () => call<Verdict>('POST', '/api/audit/verify');
