/* pages/access/tenants.tsx — tenants, their limits, and the end of one. */
import { useState } from 'react';

import { changeRecord, createRecord, removeRecord, type Tenant } from '../../api/access';
import { tenantBase } from '../../api/tenant';
import type { MenuItem } from '../../ui/menu';
import { StatusMark } from '../../ui/status-mark';
import type { Column } from '../../ui/table';
import { formatCount } from '../../ui/words';
import { t } from '../../texts/access';
import { FlagField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Name, RecordList, Words } from './record-list';
import { orNull, present, type Quota, QUOTA_NAMES, QUOTAS } from './words';

type Open =
  { readonly kind: 'new' } | { readonly kind: 'edit' | 'state' | 'remove'; readonly tenant: Tenant };

const limitsOf = ({ quotas = {} }: Tenant) =>
  QUOTA_NAMES.flatMap((quota) => {
    const limit = quotas[quota];
    return limit === undefined ? [] : [`${QUOTAS[quota]}: ${formatCount(limit)}`];
  });

const STATES: Readonly<Record<Tenant['state'], string>> = {
  active: t.active,
  suspended: t.suspended,
  removing: t.beingRemoved,
};

const COLUMNS: readonly Column<Tenant>[] = [
  { key: 'name', head: t.name2, cell: (row) => <Name text={row.name} /> },
  { key: 'label', head: t.called, cell: (row) => <Name text={row.label ?? ''} /> },
  {
    key: 'state',
    head: t.state,
    cell: (row) => (
      <StatusMark
        status={row.state === 'active' ? 'completed' : 'waiting'}
        word={STATES[row.state]}
        isSmall
      />
    ),
  },
  { key: 'limits', head: t.limits, isWide: true, cell: (row) => <Words words={limitsOf(row)} /> },
];

export function Tenants() {
  const [open, setOpen] = useState<Open | null>(null);
  const onClose = () => setOpen(null);
  const actionsOf = (tenant: Tenant): readonly MenuItem[] =>
    tenant.state === 'removing'
      ? []
      : [
          { label: t.goThere, onSelect: () => location.assign(`${tenantBase(tenant.name)}/`) },
          { label: t.change, onSelect: () => setOpen({ kind: 'edit', tenant }) },
          {
            label: tenant.state === 'active' ? t.suspend : t.letItGo,
            onSelect: () => setOpen({ kind: 'state', tenant }),
          },
          ...(tenant.name === 'default'
            ? []
            : [{ label: t.remove, isDanger: true, onSelect: () => setOpen({ kind: 'remove', tenant }) }]),
        ];
  return (
    <>
      <RecordList
        kind="tenants"
        what={t.theTenants}
        columns={COLUMNS}
        keyOf={(row) => row.name}
        nameOf={(row) => row.name}
        isPale={(row) => row.state !== 'active'}
        actionsOf={actionsOf}
        empty={[t.onlyDefault, t.everythingIsInTheTenant]}
        help={t.eachHasItsOwnFlows}
        add={t.newTenant}
        onAdd={() => setOpen({ kind: 'new' })}
      />
      {open?.kind === 'new' && <TenantDialog tenant={null} onClose={onClose} />}
      {open?.kind === 'edit' && <TenantDialog tenant={open.tenant} onClose={onClose} />}
      {open?.kind === 'state' && <SwitchTenant tenant={open.tenant} onClose={onClose} />}
      {open?.kind === 'remove' && <RemoveTenant tenant={open.tenant} onClose={onClose} />}
    </>
  );
}

function TenantDialog({ tenant, onClose }: { readonly tenant: Tenant | null; readonly onClose: () => void }) {
  const [name, setName] = useState(tenant?.name ?? '');
  const [label, setLabel] = useState(tenant?.label ?? '');
  const [limits, setLimits] = useState<Readonly<Partial<Record<Quota, string>>>>(() =>
    Object.fromEntries(Object.entries(tenant?.quotas ?? {}).map(([quota, limit]) => [quota, String(limit)])),
  );
  const quotas = Object.fromEntries(
    QUOTA_NAMES.flatMap((quota) => {
      const limit = Number(limits[quota] ?? '');
      return limit > 0 ? [[quota, limit]] : [];
    }),
  );
  const record = { label: orNull(label), quotas: Object.keys(quotas).length === 0 ? null : quotas };
  return (
    <FormDialog
      title={tenant === null ? t.aNewTenant : t.change2(tenant.name)}
      act={tenant === null ? t.makeTheTenant : t.keep}
      says={tenant === null ? t.theTenantIsThere : t.changed}
      send={() =>
        tenant === null
          ? createRecord('tenants', present({ name: name.trim(), ...record }))
          : changeRecord('tenants', tenant.name, record)
      }
      onClose={onClose}
    >
      {tenant === null && (
        <TextField
          label={t.name2}
          value={name}
          onChange={setName}
          isRequired
          help={t.partOfItsAddressesSmall}
        />
      )}
      <TextField label={t.called} value={label} onChange={setLabel} />
      <fieldset className="field">
        <legend className="label">{t.atMostEmptyIsNo}</legend>
        {QUOTA_NAMES.map((quota) => (
          <TextField
            key={quota}
            label={QUOTAS[quota]}
            type="number"
            value={limits[quota] ?? ''}
            onChange={(text) => setLimits({ ...limits, [quota]: text })}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}

interface OfTenant {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}

function SwitchTenant({ tenant, onClose }: OfTenant) {
  const isActive = tenant.state === 'active';
  return (
    <FormDialog
      title={isActive ? t.suspend2(tenant.name) : t.letGo(tenant.name)}
      act={isActive ? t.suspend3 : t.goOn}
      says={isActive ? t.theTenantIsSuspended : t.theTenantGoes}
      send={() => changeRecord('tenants', tenant.name, { state: isActive ? 'suspended' : 'active' })}
      onClose={onClose}
    >
      <p className="mid">{isActive ? t.itsPeopleAndProgramsCan : t.itsPeopleAndProgramsCan2}</p>
    </FormDialog>
  );
}

/** Everything in it goes only for somebody who types its name. */
function RemoveTenant({ tenant, onClose }: OfTenant) {
  const [isAll, setAll] = useState(false);
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      title={t.remove2(tenant.name)}
      act={isAll ? t.removeEverything : t.removeTheTenant}
      says={isAll ? t.theTenantIsBeingRemoved : t.theTenantIsRemoved}
      isDanger
      isBlocked={isAll && typed !== tenant.name}
      send={() => removeRecord('tenants', tenant.name, isAll ? { with: 'everything', confirm: typed } : {})}
      onClose={onClose}
    >
      <p className="mid">{t.withoutMoreItIsRemoved}</p>
      <FlagField label={t.removeEverythingInItToo} value={isAll} onChange={setAll} />
      {isAll && <TextField label={t.typeToGo(tenant.name)} value={typed} onChange={setTyped} isRequired />}
    </FormDialog>
  );
}
