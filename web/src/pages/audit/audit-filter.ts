/* pages/audit/audit-filter.ts — which rows of the audit, as the address says it and as the engine is asked. Pure. */

export const FILTER_NAMES = ['principal', 'action', 'object', 'outcome', 'since', 'until'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** Empty: any. `since` and `until` are local, as a field for times writes them: 2026-05-12T09:00. */
export type AuditFilter = { readonly [K in FilterName]: string };

export const NO_FILTER: AuditFilter = {
  principal: '',
  action: '',
  object: '',
  outcome: '',
  since: '',
  until: '',
};

export function parseFilter(params: URLSearchParams): AuditFilter {
  const texts = FILTER_NAMES.map((name) => [name, params.get(name)?.trim() ?? ''] as const);
  return { ...NO_FILTER, ...Object.fromEntries(texts) };
}

/** Only what is asked for. */
export function printFilter(filter: AuditFilter): URLSearchParams {
  return new URLSearchParams(
    FILTER_NAMES.flatMap((name) => (filter[name] === '' ? [] : [[name, filter[name]]])),
  );
}

const momentOf = (local: string) => {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
};

/** As the engine is asked: times with their zone. */
export function askedOf(filter: AuditFilter, cursor: string): Record<string, string> {
  const asked = Object.fromEntries(printFilter(filter));
  for (const name of ['since', 'until'] as const)
    if (filter[name] !== '') asked[name] = momentOf(filter[name]);
  return { ...asked, pageSize: '100', ...(cursor === '' ? {} : { cursor }) };
}
