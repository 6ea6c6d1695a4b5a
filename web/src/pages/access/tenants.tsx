/* pages/access/tenants.tsx — tenants, their limits, and the end of one. */
import { useState } from 'react';

import { changeRecord, createRecord, removeRecord, type Tenant } from '../../api/access';
import { tenantBase } from '../../api/tenant';
import type { MenuItem } from '../../ui/menu';
import { StatusMark } from '../../ui/status-mark';
import type { Column } from '../../ui/table';
import { formatCount } from '../../ui/words';
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
  active: 'Active',
  suspended: 'Suspended',
  removing: 'Being removed',
};

const COLUMNS: readonly Column<Tenant>[] = [
  { key: 'name', head: 'Name', cell: (row) => <Name text={row.name} /> },
  { key: 'label', head: 'Called', cell: (row) => <Name text={row.label ?? ''} /> },
  {
    key: 'state',
    head: 'State',
    cell: (row) => (
      <StatusMark
        status={row.state === 'active' ? 'completed' : 'waiting'}
        word={STATES[row.state]}
        isSmall
      />
    ),
  },
  { key: 'limits', head: 'Limits', isWide: true, cell: (row) => <Words words={limitsOf(row)} /> },
];

export function Tenants() {
  const [open, setOpen] = useState<Open | null>(null);
  const onClose = () => setOpen(null);
  const actionsOf = (tenant: Tenant): readonly MenuItem[] =>
    tenant.state === 'removing'
      ? []
      : [
          { label: 'Go there', onSelect: () => location.assign(`${tenantBase(tenant.name)}/`) },
          { label: 'Change…', onSelect: () => setOpen({ kind: 'edit', tenant }) },
          {
            label: tenant.state === 'active' ? 'Suspend…' : 'Let it go on…',
            onSelect: () => setOpen({ kind: 'state', tenant }),
          },
          ...(tenant.name === 'default'
            ? []
            : [{ label: 'Remove…', isDanger: true, onSelect: () => setOpen({ kind: 'remove', tenant }) }]),
        ];
  return (
    <>
      <RecordList
        kind="tenants"
        what="The tenants"
        columns={COLUMNS}
        keyOf={(row) => row.name}
        nameOf={(row) => row.name}
        isPale={(row) => row.state !== 'active'}
        actionsOf={actionsOf}
        empty={['Only default', 'Everything is in the tenant default.']}
        help="Each has its own flows, runs, entities, secrets and keys, and sees nothing of the others."
        add="New tenant…"
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
      title={tenant === null ? 'A new tenant' : `Change ${tenant.name}`}
      act={tenant === null ? 'Make the tenant' : 'Keep'}
      says={tenant === null ? 'The tenant is there.' : 'Changed.'}
      send={() =>
        tenant === null
          ? createRecord('tenants', present({ name: name.trim(), ...record }))
          : changeRecord('tenants', tenant.name, record)
      }
      onClose={onClose}
    >
      {tenant === null && (
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          isRequired
          help="Part of its addresses: small letters, digits, _ and -"
        />
      )}
      <TextField label="Called" value={label} onChange={setLabel} />
      <fieldset className="field">
        <legend className="label">At most; empty is no limit</legend>
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
      title={isActive ? `Suspend ${tenant.name}?` : `Let ${tenant.name} go on?`}
      act={isActive ? 'Suspend' : 'Go on'}
      says={isActive ? 'The tenant is suspended.' : 'The tenant goes on.'}
      send={() => changeRecord('tenants', tenant.name, { state: isActive ? 'suspended' : 'active' })}
      onClose={onClose}
    >
      <p className="mid">
        {isActive
          ? 'Its people and programs can look, and change nothing.'
          : 'Its people and programs can work again.'}
      </p>
    </FormDialog>
  );
}

/** Everything in it goes only for somebody who types its name. */
function RemoveTenant({ tenant, onClose }: OfTenant) {
  const [isAll, setAll] = useState(false);
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      title={`Remove ${tenant.name}?`}
      act={isAll ? 'Remove everything' : 'Remove the tenant'}
      says={isAll ? 'The tenant is being removed.' : 'The tenant is removed.'}
      isDanger
      isBlocked={isAll && typed !== tenant.name}
      send={() => removeRecord('tenants', tenant.name, isAll ? { with: 'everything', confirm: typed } : {})}
      onClose={onClose}
    >
      <p className="mid">Without more, it is removed only if nothing is in it.</p>
      <FlagField
        label="Remove everything in it, too: flows, runs, entities, secrets. It cannot be taken back."
        value={isAll}
        onChange={setAll}
      />
      {isAll && (
        <TextField label={`Type ${tenant.name} to go on`} value={typed} onChange={setTyped} isRequired />
      )}
    </FormDialog>
  );
}
