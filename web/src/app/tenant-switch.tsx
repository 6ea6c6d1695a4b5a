/* app/tenant-switch.tsx — the tenant that the page is about. Another one is another page: nothing of this one is kept. */
import type { Me } from '../api/me';
import { tenantBase } from '../api/tenant';
import { t } from '../texts/app';

export function TenantSwitch({ me }: { readonly me: Me }) {
  const { tenant, tenants } = me;
  if (tenants.length < 2)
    return tenant === 'default' || tenant === '' ? null : (
      <span className="tag" title={t.theTenant(tenant)}>
        {tenant}
      </span>
    );
  return (
    <select
      className="in tenant"
      aria-label={t.tenant}
      title={t.theTenant(tenant)}
      value={tenant}
      onChange={(event) => location.assign(`${tenantBase(event.target.value)}/`)}
    >
      {(tenants.includes(tenant) ? tenants : [tenant, ...tenants]).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
