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
import { t } from '../../texts/access';
import { RolesField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Name, RecordList, Words } from './record-list';
import { orNull, present, readList } from './words';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'password' | 'state' | 'end' | 'remove'; readonly user: User };

const COLUMNS: readonly Column<User>[] = [
  { key: 'name', head: t.name2, cell: (row) => <Name text={row.name} /> },
  { key: 'display', head: t.called, isOptional: true, cell: (row) => <Name text={row.displayName ?? ''} /> },
  { key: 'roles', head: t.roles, cell: (row) => <Words words={row.roles} /> },
  { key: 'groups', head: t.groups, isWide: true, cell: (row) => <Words words={row.groups} /> },
  {
    key: 'state',
    head: t.state,
    cell: (row) => (
      <StatusMark
        status={row.state === 'active' ? 'completed' : 'cancelled'}
        word={row.state === 'active' ? t.active : t.disabled}
        isSmall
      />
    ),
  },
  {
    key: 'used',
    head: t.lastSeen,
    isOptional: true,
    cell: (row) => row.lastUsed !== undefined && <Time at={row.lastUsed} as="ago" />,
  },
];

export function Users() {
  const [open, setOpen] = useState<Open | null>(null);
  const [, go] = useLocation();
  const actionsOf = (user: User): readonly MenuItem[] => [
    { label: t.change, onSelect: () => setOpen({ kind: 'edit', user }) },
    { label: t.setAPassword, onSelect: () => setOpen({ kind: 'password', user }) },
    { label: t.whatMayThisOneDo, onSelect: () => go(accessAddress('explain', `user:${user.name}`)) },
    { label: t.endAllSessions, onSelect: () => setOpen({ kind: 'end', user }) },
    {
      label: user.state === 'active' ? t.disable : t.enable,
      onSelect: () => setOpen({ kind: 'state', user }),
    },
    { label: t.remove, isDanger: true, onSelect: () => setOpen({ kind: 'remove', user }) },
  ];
  return (
    <>
      <RecordList
        kind="users"
        what={t.theUsers}
        columns={COLUMNS}
        keyOf={(row) => row.name}
        nameOf={(row) => row.name}
        isPale={(row) => row.state !== 'active'}
        actionsOf={actionsOf}
        empty={[t.noUserYet, t.peopleCanAlsoCome]}
        help={t.peopleWhoSignInHere}
        add={t.newUser}
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
          title={t.endAllSessions2(open.user.name)}
          act={t.endThem}
          says={t.theSessionsAreOver}
          send={() => endSessionsOf(open.user.name)}
          onClose={onClose}
        >
          <p className="mid">{t.theyHaveToSign}</p>
        </FormDialog>
      );
    case 'remove':
      return (
        <FormDialog
          title={t.remove2(open.user.name)}
          act={t.removeTheUser}
          says={t.theUserIsRemoved}
          isDanger
          send={() => removeRecord('users', open.user.name)}
          onClose={onClose}
        >
          <p className="mid">{t.theirSessionsEndAtOnce}</p>
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
      <TextField label={t.called} value={displayName} onChange={setDisplayName} />
      <TextField label={t.eMail} type="email" value={email} onChange={setEmail} />
      <RolesField label={t.rolesInTheTenantDefault} value={chosen} onChange={setChosen} />
      <TextField label={t.groups} value={groups} onChange={setGroups} help={t.commasBetweenThemSuch} />
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
      title={t.aNewUser}
      act={t.makeTheUser}
      says={t.canSignInNow(name)}
      send={() =>
        isFirst && record.roles.includes('admin') ? createFirstAdmin(user) : createRecord('users', user)
      }
      onClose={onClose}
    >
      {isFirst && <p className="st person">{t.fromTheFirstUser}</p>}
      <TextField label={t.name2} value={name} onChange={setName} isRequired help={t.byWhichTheySign} />
      <NewPassword
        label={t.password}
        value={password}
        onChange={setNewPassword}
        isOptional
        help={t.atLeast12CharactersTell}
      />
      {fields}
    </FormDialog>
  );
}

function EditUser({ user, onClose }: OfUser) {
  const { fields, record } = useUserFields(user, []);
  return (
    <FormDialog
      title={t.change2(user.name)}
      act={t.keep}
      says={t.changed}
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
      title={t.aPassword(user.name)}
      act={t.setIt}
      says={t.thePasswordIsSet}
      send={() => setPassword(user.name, password)}
      onClose={onClose}
    >
      <p className="mid">{t.theirSessionsEndTheyCan}</p>
      <NewPassword label={t.theNewPassword} value={password} onChange={setNewPassword} />
    </FormDialog>
  );
}

function SwitchUser({ user, onClose }: OfUser) {
  const isActive = user.state === 'active';
  return (
    <FormDialog
      title={isActive ? t.disable2(user.name) : t.enable2(user.name)}
      act={isActive ? t.disable3 : t.enable3}
      says={isActive ? t.isDisabled(user.name) : t.canSignInAgain(user.name)}
      send={() => changeRecord('users', user.name, { state: isActive ? 'disabled' : 'active' })}
      onClose={onClose}
    >
      <p className="mid">{isActive ? t.theirSessionsEndAtOnce2 : t.theyCanSignInAgain}</p>
    </FormDialog>
  );
}
