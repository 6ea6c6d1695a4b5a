/* pages/access/grants.tsx — roles in tenants, for users, groups and keys; and the groups that they name. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { createRecord, type Grant, recordsQuery, removeRecord } from '../../api/access';
import { useMay, useMe } from '../../ui/may';
import { ROLE_WORDS, type Role, ROLES } from '../../ui/permissions';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { plural } from '../../ui/words';
import styles from './access.module.css';
import { FlagField, SelectField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Name, RecordList, Words } from './record-list';
import { type Group, groupsOf, holderWords, present } from './words';

const COLUMNS: readonly Column<Grant>[] = [
  { key: 'to', head: 'To', isWide: true, cell: (row) => <Name text={holderWords(row.to)} /> },
  { key: 'role', head: 'Role', cell: (row) => <Words words={[row.role]} /> },
  {
    key: 'tenant',
    head: 'In',
    cell: (row) => (row.tenant === '*' ? 'all tenants' : <Name text={row.tenant ?? 'default'} />),
  },
  {
    key: 'scope',
    head: 'Only for',
    cell: (row) =>
      row.scope === undefined ? <span className="dim">all</span> : <Name text={row.scope} isMono />,
  },
  {
    key: 'by',
    head: 'Given',
    isOptional: true,
    cell: (row) => row.created !== undefined && <Time at={row.created} as="ago" />,
  },
];

const nameOf = (row: Grant) => `${row.role} for ${holderWords(row.to)}`;

export function Grants() {
  const [open, setOpen] = useState<'new' | Grant | null>(null);
  const onClose = () => setOpen(null);
  return (
    <>
      <RecordList
        kind="grants"
        what="The grants"
        columns={COLUMNS}
        keyOf={(row) => row.id}
        nameOf={nameOf}
        actionsOf={(row) => [{ label: 'Take it back…', isDanger: true, onSelect: () => setOpen(row) }]}
        empty={['No grant yet', 'Roles of users and keys count without one.']}
        help="A role in a tenant, for a user, a group or a key. Nothing takes away what a grant gives."
        add="New grant…"
        onAdd={() => setOpen('new')}
      />
      <Groups />
      {open === 'new' && <NewGrant onClose={onClose} />}
      {open !== null && open !== 'new' && (
        <FormDialog
          title="Take this grant back?"
          act="Take it back"
          says="The grant is gone."
          isDanger
          send={() => removeRecord('grants', open.id)}
          onClose={onClose}
        >
          <p className="mid">
            <bdi>{holderWords(open.to)}</bdi>, is no {open.role} any more, unless another grant says so.
          </p>
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
      title={`A new grant in the tenant ${tenant}`}
      act="Give it"
      says="The grant is given."
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
      <SelectField label="To" value={kind} words={HOLDERS} onChange={setKind} />
      <TextField label={kind === 'key' ? 'Its id' : 'Name'} value={name} onChange={setName} isRequired />
      <SelectField label="Role" value={role} words={ROLE_CHOICES} onChange={setRole} />
      <TextField
        label="Only for"
        value={scope}
        onChange={setScope}
        isMono
        help="Narrows the role: definitions:write:SHOP::*"
      />
      {may('global:admin') && (
        <FlagField
          label="In all tenants, those to come included"
          value={isEverywhere}
          onChange={setEverywhere}
        />
      )}
    </FormDialog>
  );
}

const GROUP_COLUMNS: readonly Column<Group>[] = [
  { key: 'name', head: 'Group', cell: (row) => <Name text={row.name} /> },
  { key: 'roles', head: 'Roles by grants', cell: (row) => <Words words={row.roles} /> },
  { key: 'users', head: 'Users', isWide: true, cell: (row) => <Words words={row.users} /> },
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
        <h2>Groups</h2>
        <span className="count">{plural(groups.length, 'group')}; a provider may know others</span>
      </header>
      <div className={styles['scroll']}>
        <Table
          label="Groups"
          rows={groups}
          columns={GROUP_COLUMNS}
          keyOf={(row) => row.name}
          nameOf={(row) => row.name}
        />
      </div>
    </section>
  );
}
