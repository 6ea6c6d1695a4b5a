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
import { t } from '../../texts/access';
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
  active: ['completed', t.active],
  revoked: ['cancelled', t.revoked],
  expired: ['waiting', t.expired],
};

const COLUMNS: readonly Column<Key>[] = [
  { key: 'name', head: t.name2, cell: (row) => <Name text={row.name} /> },
  { key: 'id', head: t.id, isOptional: true, cell: (row) => <Name text={row.id} isMono /> },
  { key: 'roles', head: t.roles, cell: (row) => <Words words={row.roles} /> },
  {
    key: 'scopes',
    head: t.onlyFor2,
    isWide: true,
    cell: (row) =>
      row.scopes === undefined || row.scopes.length === 0 ? (
        <span className="dim">{t.all}</span>
      ) : (
        <Words words={row.scopes} />
      ),
  },
  {
    key: 'state',
    head: t.state,
    cell: (row) => {
      const [status, word] = STATE_WORDS[row.state];
      return <StatusMark status={status} word={word} isSmall />;
    },
  },
  {
    key: 'used',
    head: t.lastUsed,
    cell: (row) =>
      row.lastUsed === undefined ? (
        <span className="dim">{t.never}</span>
      ) : (
        <Time at={row.lastUsed} as="ago" />
      ),
  },
  {
    key: 'expires',
    head: t.ends,
    isOptional: true,
    cell: (row) => row.expiresAt !== undefined && <Time at={row.expiresAt} as="due" />,
  },
];

export function Keys() {
  const [open, setOpen] = useState<Open | null>(null);
  const [, go] = useLocation();
  const actionsOf = (of: Key): readonly MenuItem[] => [
    { label: t.change, onSelect: () => setOpen({ kind: 'edit', of }) },
    { label: t.whatMayThisOneDo, onSelect: () => go(accessAddress('explain', `key:${of.id}`)) },
    { label: t.makeANewText, onSelect: () => setOpen({ kind: 'rotate', of }) },
    { label: t.revoke, isDanger: true, onSelect: () => setOpen({ kind: 'revoke', of }) },
  ];
  const onClose = () => setOpen(null);
  return (
    <>
      <RecordList
        kind="keys"
        what={t.theKeys}
        columns={COLUMNS}
        keyOf={(row) => row.id}
        nameOf={(row) => row.name}
        isPale={(row) => row.state !== 'active'}
        actionsOf={actionsOf}
        empty={[t.noKeyYet, t.aWorkerAPortal]}
        help={t.forProgramsAKeyBelongs}
        add={t.newKey}
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
          title={t.revoke2(open.of.name)}
          act={t.revokeTheKey}
          says={t.theKeyIsRevoked}
          isDanger
          send={() => removeRecord('keys', open.of.id)}
          onClose={onClose}
        >
          <p className="mid">{t.whateverUsesItIsRefused}</p>
        </FormDialog>
      );
  }
}

/** The only time that anybody sees it. */
function ShownOnce({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  return (
    <Dialog
      title={t.theKey(made.name)}
      onClose={onClose}
      onSubmit={onClose}
      footer={
        <Button look="primary" type="submit">
          {t.iHave}
        </Button>
      }
    >
      <p>{t.putItWhereYourProgram(<b>{t.thisIsTheOnlyTime}</b>)}</p>
      <p className={styles['secret']}>
        <code data-secret>{made.key}</code>
        <CopyButton text={made.key} what={t.theKey2}>
          {t.copy}
        </CopyButton>
      </p>
      <p className="help">
        {t.asAHeader(<code>Authorization: Bearer {made.key.slice(0, made.key.indexOf('_') + 1)}…</code>)}
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
      <TextField label={t.name2} value={name} onChange={setName} isRequired help={t.suchAsTheStockWorker} />
      <RolesField label={t.roles} value={roles} onChange={setRoles} />
      <TextField
        label={t.onlyFor2}
        value={scopes}
        onChange={setScopes}
        isMono
        help={t.narrowsTheRolesWithCommas}
      />
      <TextField label={t.endsOn} type="date" value={ends} onChange={setEnds} help={t.inAYearIfYou} />
      <FlagField label={t.actsForPeopleTheNames} value={actsFor} onChange={setActsFor} />
      <TextField label={t.note} value={note} onChange={setNote} />
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
      title={t.aNewKey(me?.tenant ?? 'default')}
      act={t.makeTheKey}
      says={t.theKeyIsMade}
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
      title={t.change2(of.name)}
      act={t.keep}
      says={t.changed}
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
      title={t.aNewText(of.name)}
      act={t.makeIt}
      says={t.theNewTextIsMade}
      send={() => rotateKey(of.id)}
      onClose={onClose}
      onDone={onShow}
    >
      <p className="mid">{t.theOldTextCounts}</p>
    </FormDialog>
  );
}
