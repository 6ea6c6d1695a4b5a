/* api/tenant.ts — the tenant that this page is about. It is in the address, /t/NAME/ui/…, so that a link names it and each tab has its own.
 * Without one it is the tenant at home of whoever asks. */

/** "/t/acme/ui/runs" → "acme"; empty: none is named. */
export function tenantOf(pathname: string): string {
  const name = /^\/t\/([^/]+)\//.exec(pathname)?.[1] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Where the application of a tenant begins. */
export const tenantBase = (tenant: string): string =>
  tenant === '' ? '/ui' : `/t/${encodeURIComponent(tenant)}/ui`;

/** The tenant of this page. It never changes while the page is there: another one is another page. */
export const pageTenant = typeof location === 'undefined' ? '' : tenantOf(location.pathname);
