/* pages/access/grants.tsx — roles in tenants, for users, groups and keys; and the groups that they name. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { createRecord, type Grant, recordsQuery, removeRecord } from '../../api/access';
import { useMay, useMe } from '../../ui/may';
import { ROLE_WORDS, type Role, ROLES } from '../../ui/permissions';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { t } from '../../texts/access';
import styles from './access.module.css';
import { FlagField, SelectField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Name, RecordList, Words } from './record-list';
import { type Group, groupsOf, holderWords, present } from './words';

const COLUMNS: readonly Column<Grant>[] = [
  { key: 'to', head: t.to, isWide: true, cell: (row) => <Name text={holderWords(row.to)} /> },
  { key: 'role', head: t.role, cell: (row) => <Words words={[row.role]} /> },
  {
    key: 'tenant',
    head: t.in2,
    cell: (row) => (row.tenant === '*' ? t.allTenants : <Name text={row.tenant ?? 'default'} />),
  },
  {
    key: 'scope',
    head: t.onlyFor2,
    cell: (row) =>
      row.scope === undefined ? <span className="dim">{t.all}</span> : <Name text={row.scope} isMono />,
  },
  {
    key: 'by',
    head: t.given,
    isOptional: true,
    cell: (row) => row.created !== undefined && <Time at={row.created} as="ago" />,
  },
];

const nameOf = (row: Grant) => t.for2(row.role, holderWords(row.to));

export function Grants() {
  const [open, setOpen] = useState<'new' | Grant | null>(null);
  const onClose = () => setOpen(null);
  return (
    <>
      <RecordList
        kind="grants"
        what={t.theGrants}
        columns={COLUMNS}
        keyOf={(row) => row.id}
        nameOf={nameOf}
        actionsOf={(row) => [{ label: t.takeItBack, isDanger: true, onSelect: () => setOpen(row) }]}
        empty={[t.noGrantYet, t.rolesOfUsersAndKeys]}
        help={t.aRoleInATenant}
        add={t.newGrant}
        onAdd={() => setOpen('new')}
      />
      <Groups />
      {open === 'new' && <NewGrant onClose={onClose} />}
      {open !== null && open !== 'new' && (
        <FormDialog
          title={t.takeThisGrantBack}
          act={t.takeItBack2}
          says={t.theGrantIsGone}
          isDanger
          send={() => removeRecord('grants', open.id)}
          onClose={onClose}
        >
          <p className="mid">{t.isNoAnyMoreUnless(<bdi>{holderWords(open.to)}</bdi>, open.role)}</p>
        </FormDialog>
      )}
    </>
  );
}

const HOLDERS = { user: 'A user', group: 'A group', key: 'A key' } as const;
const ROLE_CHOICES = Object.fromEntries(
  ROLES.map((role) => [role, `${role}: ${ROLE_WORDS[role]}`]),
) as Record<Role, string>;

function NewGrant({ onClose }: { readonly onClose: () => void }) {
  const me = useMe();
  const may = useMay();
  const [kind, setKind] = useState<keyof typeof HOLDERS>('user');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [isEverywhere, setEverywhere] = useState(false);
  const [scope, setScope] = useState('');
  const tenant = me?.tenant ?? 'default';
  return (
    <FormDialog
      title={t.aNewGrant(tenant)}
      act={t.giveIt}
      says={t.theGrantIsGiven}
      send={() =>
        createRecord(
          'grants',
          present({
            to: `${kind}:${name.trim()}`,
            role,
            tenant: isEverywhere ? '*' : tenant,
            scope: scope.trim() === '' ? null : scope.trim(),
          }),
        )
      }
      onClose={onClose}
    >
      <SelectField label={t.to} value={kind} words={HOLDERS} onChange={setKind} />
      <TextField label={kind === 'key' ? t.itsId : t.name2} value={name} onChange={setName} isRequired />
      <SelectField label={t.role} value={role} words={ROLE_CHOICES} onChange={setRole} />
      <TextField
        label={t.onlyFor2}
        value={scope}
        onChange={setScope}
        isMono
        help={t.narrowsTheRoleDefinitions}
      />
      {may('global:admin') && (
        <FlagField label={t.inAllTenantsThose} value={isEverywhere} onChange={setEverywhere} />
      )}
    </FormDialog>
  );
}

const GROUP_COLUMNS: readonly Column<Group>[] = [
  { key: 'name', head: t.group, cell: (row) => <Name text={row.name} /> },
  { key: 'roles', head: t.rolesByGrants, cell: (row) => <Words words={row.roles} /> },
  { key: 'users', head: t.users, isWide: true, cell: (row) => <Words words={row.users} /> },
];

/** The groups that users and grants name. Admins of one tenant see no users. */
function Groups() {
  const may = useMay();
  const users = useInfiniteQuery({ ...recordsQuery('users'), enabled: may('global:admin') });
  const grants = useInfiniteQuery(recordsQuery('grants'));
  const groups = groupsOf(
    users.data?.pages.flatMap(({ items }) => items) ?? [],
    grants.data?.pages.flatMap(({ items }) => items) ?? [],
  );
  if (groups.length === 0) return null;
  return (
    <section className="card">
      <header>
        <h2>{t.groups}</h2>
        <span className="count">{t.aProviderMayKnowOthers(t.nGroups(groups.length))}</span>
      </header>
      <div className={styles['scroll']}>
        <Table
          label={t.groups}
          rows={groups}
          columns={GROUP_COLUMNS}
          keyOf={(row) => row.name}
          nameOf={(row) => row.name}
        />
      </div>
    </section>
  );
}
