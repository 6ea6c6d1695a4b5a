/* pages/access/keys.tsx — the keys of programs. The text of a key is shown once, when it is made. */
import { useState } from 'react';
import { useLocation } from 'wouter';

import { changeRecord, createKey, type Key, type NewKey, removeRecord, rotateKey } from '../../api/access';
import { accessAddress } from '../../ui/addresses';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { useMe } from '../../ui/may';
import type { MenuItem } from '../../ui/menu';
import { StatusMark } from '../../ui/status-mark';
import type { Column } from '../../ui/table';
import { Time } from '../../ui/time';
import styles from './access.module.css';
import { FlagField, RolesField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import { Name, RecordList, Words } from './record-list';
import { endOfDay, orNull, present, readList } from './words';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'shown'; readonly made: NewKey }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly of: Key };

const STATE_WORDS: { readonly [K in Key['state']]: readonly [status: string, word: string] } = {
  active: ['completed', 'Active'],
  revoked: ['cancelled', 'Revoked'],
  expired: ['waiting', 'Expired'],
};

const COLUMNS: readonly Column<Key>[] = [
  { key: 'name', head: 'Name', cell: (row) => <Name text={row.name} /> },
  { key: 'id', head: 'Id', isOptional: true, cell: (row) => <Name text={row.id} isMono /> },
  { key: 'roles', head: 'Roles', cell: (row) => <Words words={row.roles} /> },
  {
    key: 'scopes',
    head: 'Only for',
    isWide: true,
    cell: (row) =>
      row.scopes === undefined || row.scopes.length === 0 ? (
        <span className="dim">all</span>
      ) : (
        <Words words={row.scopes} />
      ),
  },
  {
    key: 'state',
    head: 'State',
    cell: (row) => {
      const [status, word] = STATE_WORDS[row.state];
      return <StatusMark status={status} word={word} isSmall />;
    },
  },
  {
    key: 'used',
    head: 'Last used',
    cell: (row) =>
      row.lastUsed === undefined ? <span className="dim">never</span> : <Time at={row.lastUsed} as="ago" />,
  },
  {
    key: 'expires',
    head: 'Ends',
    isOptional: true,
    cell: (row) => row.expiresAt !== undefined && <Time at={row.expiresAt} as="due" />,
  },
];

export function Keys() {
  const [open, setOpen] = useState<Open | null>(null);
  const [, go] = useLocation();
  const actionsOf = (of: Key): readonly MenuItem[] => [
    { label: 'Change…', onSelect: () => setOpen({ kind: 'edit', of }) },
    { label: 'What may this one do?', onSelect: () => go(accessAddress('explain', `key:${of.id}`)) },
    { label: 'Make a new text…', onSelect: () => setOpen({ kind: 'rotate', of }) },
    { label: 'Revoke…', isDanger: true, onSelect: () => setOpen({ kind: 'revoke', of }) },
  ];
  const onClose = () => setOpen(null);
  return (
    <>
      <RecordList
        kind="keys"
        what="The keys"
        columns={COLUMNS}
        keyOf={(row) => row.id}
        nameOf={(row) => row.name}
        isPale={(row) => row.state !== 'active'}
        actionsOf={actionsOf}
        empty={['No key yet', 'A worker, a portal or a script needs one to call the engine.']}
        help="For programs. A key belongs to one tenant; the engine keeps no text of it."
        add="New key…"
        onAdd={() => setOpen({ kind: 'new' })}
      />
      {open !== null && (
        <Opened open={open} onShow={(made) => setOpen({ kind: 'shown', made })} onClose={onClose} />
      )}
    </>
  );
}

interface OpenedProps {
  readonly open: Open;
  readonly onShow: (made: NewKey) => void;
  readonly onClose: () => void;
}

function Opened({ open, onShow, onClose }: OpenedProps) {
  switch (open.kind) {
    case 'new':
      return <NewKeyDialog onShow={onShow} onClose={onClose} />;
    case 'shown':
      return <ShownOnce made={open.made} onClose={onClose} />;
    case 'edit':
      return <EditKey of={open.of} onClose={onClose} />;
    case 'rotate':
      return <RotateKey of={open.of} onShow={onShow} onClose={onClose} />;
    case 'revoke':
      return (
        <FormDialog
          title={`Revoke ${open.of.name}?`}
          act="Revoke the key"
          says="The key is revoked."
          isDanger
          send={() => removeRecord('keys', open.of.id)}
          onClose={onClose}
        >
          <p className="mid">
            Whatever uses it is refused at once: polls and streams end, too. It cannot be taken back.
          </p>
        </FormDialog>
      );
  }
}

/** The only time that anybody sees it. */
function ShownOnce({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  return (
    <Dialog
      title={`The key ${made.name}`}
      onClose={onClose}
      onSubmit={onClose}
      footer={
        <Button look="primary" type="submit">
          I have it
        </Button>
      }
    >
      <p>
        <b>This is the only time that it is shown.</b> Put it where your program reads its secrets.
      </p>
      <p className={styles['secret']}>
        <code data-secret>{made.key}</code>
        <CopyButton text={made.key} what="the key">
          Copy
        </CopyButton>
      </p>
      <p className="help">
        As a header: <code>Authorization: Bearer {made.key.slice(0, made.key.indexOf('_') + 1)}…</code>
      </p>
    </Dialog>
  );
}

/** The fields that a new key and a known one share. */
function useKeyFields(of: Key | null) {
  const [name, setName] = useState(of?.name ?? '');
  const [roles, setRoles] = useState<readonly string[]>(of?.roles ?? []);
  const [scopes, setScopes] = useState(of?.scopes?.join(', ') ?? '');
  const [ends, setEnds] = useState(of?.expiresAt?.slice(0, 10) ?? '');
  const [actsFor, setActsFor] = useState(of?.actsFor ?? false);
  const [note, setNote] = useState(of?.note ?? '');
  const fields = (
    <>
      <TextField label="Name" value={name} onChange={setName} isRequired help="Such as: the stock worker" />
      <RolesField label="Roles" value={roles} onChange={setRoles} />
      <TextField
        label="Only for"
        value={scopes}
        onChange={setScopes}
        isMono
        help="Narrows the roles, with commas between: jobs:work:reserve-*, definitions:write:SHOP::*"
      />
      <TextField
        label="Ends on"
        type="date"
        value={ends}
        onChange={setEnds}
        help="In a year, if you say nothing."
      />
      <FlagField
        label="Acts for people: the names that it sends are believed (a portal)"
        value={actsFor}
        onChange={setActsFor}
      />
      <TextField label="Note" value={note} onChange={setNote} />
    </>
  );
  const record = {
    name: name.trim(),
    roles,
    scopes: readList(scopes),
    expiresAt: endOfDay(ends),
    actsFor,
    note: orNull(note),
  };
  return { fields, record };
}

interface MakesKey {
  readonly onShow: (made: NewKey) => void;
  readonly onClose: () => void;
}

function NewKeyDialog({ onShow, onClose }: MakesKey) {
  const me = useMe();
  const { fields, record } = useKeyFields(null);
  return (
    <FormDialog
      title={`A new key in the tenant ${me?.tenant ?? 'default'}`}
      act="Make the key"
      says="The key is made."
      send={() => createKey(present(record))}
      onClose={onClose}
      onDone={onShow}
    >
      {fields}
    </FormDialog>
  );
}

function EditKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }) {
  const { fields, record } = useKeyFields(of);
  return (
    <FormDialog
      title={`Change ${of.name}`}
      act="Keep"
      says="Changed."
      send={() =>
        changeRecord('keys', of.id, {
          ...record,
          scopes: record.scopes.length === 0 ? null : record.scopes,
          ...(record.expiresAt === null ? {} : { expiresAt: record.expiresAt }),
        })
      }
      onClose={onClose}
    >
      {fields}
    </FormDialog>
  );
}

function RotateKey({ of, onShow, onClose }: MakesKey & { readonly of: Key }) {
  return (
    <FormDialog
      title={`A new text for ${of.name}?`}
      act="Make it"
      says="The new text is made."
      send={() => rotateKey(of.id)}
      onClose={onClose}
      onDone={onShow}
    >
      <p className="mid">The old text counts for another 24 hours, so that nothing stops meanwhile.</p>
    </FormDialog>
  );
}
