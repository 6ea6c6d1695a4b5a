/* pages/access/users.tsx — the people who sign in with a name of this engine. */
import { useState } from 'react';
import { useLocation } from 'wouter';

import {
  changeRecord,
  createFirstAdmin,
  createRecord,
  endSessionsOf,
  removeRecord,
  type User,
} from '../../api/access';
import { isOpen } from '../../api/me';
import { setPassword } from '../../api/session';
import { accessAddress } from '../../ui/addresses';
import { useMe } from '../../ui/may';
import type { MenuItem } from '../../ui/menu';
import { NewPassword } from '../../ui/new-password';
import { StatusMark } from '../../ui/status-mark';
import type { Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { RolesField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Name, RecordList, Words } from './record-list';
import { orNull, present, readList } from './words';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'password' | 'state' | 'end' | 'remove'; readonly user: User };

const COLUMNS: readonly Column<User>[] = [
  { key: 'name', head: 'Name', cell: (row) => <Name text={row.name} /> },
  { key: 'display', head: 'Called', isOptional: true, cell: (row) => <Name text={row.displayName ?? ''} /> },
  { key: 'roles', head: 'Roles', cell: (row) => <Words words={row.roles} /> },
  { key: 'groups', head: 'Groups', isWide: true, cell: (row) => <Words words={row.groups} /> },
  {
    key: 'state',
    head: 'State',
    cell: (row) => (
      <StatusMark
        status={row.state === 'active' ? 'completed' : 'cancelled'}
        word={row.state === 'active' ? 'Active' : 'Disabled'}
        isSmall
      />
    ),
  },
  {
    key: 'used',
    head: 'Last seen',
    isOptional: true,
    cell: (row) => row.lastUsed !== undefined && <Time at={row.lastUsed} as="ago" />,
  },
];

export function Users() {
  const [open, setOpen] = useState<Open | null>(null);
  const [, go] = useLocation();
  const actionsOf = (user: User): readonly MenuItem[] => [
    { label: 'Change…', onSelect: () => setOpen({ kind: 'edit', user }) },
    { label: 'Set a password…', onSelect: () => setOpen({ kind: 'password', user }) },
    { label: 'What may this one do?', onSelect: () => go(accessAddress('explain', `user:${user.name}`)) },
    { label: 'End all sessions…', onSelect: () => setOpen({ kind: 'end', user }) },
    {
      label: user.state === 'active' ? 'Disable…' : 'Enable…',
      onSelect: () => setOpen({ kind: 'state', user }),
    },
    { label: 'Remove…', isDanger: true, onSelect: () => setOpen({ kind: 'remove', user }) },
  ];
  return (
    <>
      <RecordList
        kind="users"
        what="The users"
        columns={COLUMNS}
        keyOf={(row) => row.name}
        nameOf={(row) => row.name}
        isPale={(row) => row.state !== 'active'}
        actionsOf={actionsOf}
        empty={['No user yet', 'People can also come from a provider, with a role for one of their groups.']}
        help="People who sign in here. Their roles count in the tenant default; grants give roles in others."
        add="New user…"
        onAdd={() => setOpen({ kind: 'new' })}
      />
      {open !== null && <Opened open={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function Opened({ open, onClose }: { readonly open: Open; readonly onClose: () => void }) {
  switch (open.kind) {
    case 'new':
      return <NewUser onClose={onClose} />;
    case 'edit':
      return <EditUser user={open.user} onClose={onClose} />;
    case 'password':
      return <SetPassword user={open.user} onClose={onClose} />;
    case 'state':
      return <SwitchUser user={open.user} onClose={onClose} />;
    case 'end':
      return (
        <FormDialog
          title={`End all sessions of ${open.user.name}?`}
          act="End them"
          says="The sessions are over."
          send={() => endSessionsOf(open.user.name)}
          onClose={onClose}
        >
          <p className="mid">They have to sign in again, everywhere.</p>
        </FormDialog>
      );
    case 'remove':
      return (
        <FormDialog
          title={`Remove ${open.user.name}?`}
          act="Remove the user"
          says="The user is removed."
          isDanger
          send={() => removeRecord('users', open.user.name)}
          onClose={onClose}
        >
          <p className="mid">
            Their sessions end at once. What they did keeps their name. To keep the name from others, disable
            the user instead.
          </p>
        </FormDialog>
      );
  }
}

interface OfUser {
  readonly user: User;
  readonly onClose: () => void;
}

/** The fields that a new user and a known one share. */
function useUserFields(user: User | null, roles: readonly string[]) {
  const [displayName, setDisplayName] = useState(user?.displayName ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(user?.roles ?? roles);
  const [groups, setGroups] = useState(user?.groups.join(', ') ?? '');
  const fields = (
    <>
      <TextField label="Called" value={displayName} onChange={setDisplayName} />
      <TextField label="E-mail" type="email" value={email} onChange={setEmail} />
      <RolesField label="Roles in the tenant default" value={chosen} onChange={setChosen} />
      <TextField
        label="Groups"
        value={groups}
        onChange={setGroups}
        help="Commas between them, such as: hr, team leads. Tasks and grants name them."
      />
    </>
  );
  const record = {
    displayName: orNull(displayName),
    email: orNull(email),
    roles: chosen,
    groups: readList(groups),
  };
  return { fields, record };
}

function NewUser({ onClose }: { readonly onClose: () => void }) {
  const isFirst = isOpen(useMe());
  const [name, setName] = useState('');
  const [password, setNewPassword] = useState('');
  const { fields, record } = useUserFields(null, isFirst ? ['admin'] : []);
  const user = { ...present({ password: orNull(password), ...record }), name: name.trim() };
  return (
    <FormDialog
      title="A new user"
      act="Make the user"
      says={`${name} can sign in now.`}
      send={() =>
        isFirst && record.roles.includes('admin') ? createFirstAdmin(user) : createRecord('users', user)
      }
      onClose={onClose}
    >
      {isFirst && (
        <p className="st person">
          From the first user on, everybody has to sign in. An admin that you make here is one of all tenants.
        </p>
      )}
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        help="By which they sign in, and by which flows know them: letters, digits, _ - . @"
      />
      <NewPassword
        label="Password"
        value={password}
        onChange={setNewPassword}
        isOptional
        help="At least 12 characters; tell it to them in person. Without one they sign in by a provider only."
      />
      {fields}
    </FormDialog>
  );
}

function EditUser({ user, onClose }: OfUser) {
  const { fields, record } = useUserFields(user, []);
  return (
    <FormDialog
      title={`Change ${user.name}`}
      act="Keep"
      says="Changed."
      send={() => changeRecord('users', user.name, record)}
      onClose={onClose}
    >
      {fields}
    </FormDialog>
  );
}

function SetPassword({ user, onClose }: OfUser) {
  const [password, setNewPassword] = useState('');
  return (
    <FormDialog
      title={`A password for ${user.name}`}
      act="Set it"
      says="The password is set."
      send={() => setPassword(user.name, password)}
      onClose={onClose}
    >
      <p className="mid">Their sessions end. They can change it after they have signed in.</p>
      <NewPassword label="The new password" value={password} onChange={setNewPassword} />
    </FormDialog>
  );
}

function SwitchUser({ user, onClose }: OfUser) {
  const isActive = user.state === 'active';
  return (
    <FormDialog
      title={isActive ? `Disable ${user.name}?` : `Enable ${user.name}?`}
      act={isActive ? 'Disable' : 'Enable'}
      says={isActive ? `${user.name} is disabled.` : `${user.name} can sign in again.`}
      send={() => changeRecord('users', user.name, { state: isActive ? 'disabled' : 'active' })}
      onClose={onClose}
    >
      <p className="mid">
        {isActive
          ? 'Their sessions end at once, and they cannot sign in until somebody enables them again.'
          : 'They can sign in again, with the roles that they had.'}
      </p>
    </FormDialog>
  );
}
