/* pages/access/issuers.tsx — who else says who somebody is: providers of logins, and issuers of tokens. */
import { useState } from 'react';

import { changeRecord, createRecord, type Issuer, removeRecord, testIssuer } from '../../api/access';
import type { Column } from '../../ui/table';
import { shortValue } from '../../ui/words';
import { FlagField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import styles from './access.module.css';
import { Name, RecordList } from './record-list';
import { orNull, present, printRoleMap, readRoleMap } from './words';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'test' | 'remove'; readonly issuer: Issuer };

function audienceWords({ audience }: Issuer): string {
  if (audience === null || audience === undefined) return 'any';
  return typeof audience === 'string' ? audience : audience.join(', ');
}

const COLUMNS: readonly Column<Issuer>[] = [
  { key: 'name', head: 'Name', cell: (row) => <Name text={row.name} /> },
  {
    key: 'label',
    head: 'On the login page',
    isOptional: true,
    cell: (row) => <Name text={row.label ?? ''} />,
  },
  {
    key: 'issuer',
    head: 'Issuer',
    isWide: true,
    cell: (row) => (
      <code title={row.issuer}>
        <bdi>{row.issuer}</bdi>
      </code>
    ),
  },
  { key: 'audience', head: 'For', cell: (row) => <Name text={audienceWords(row)} isMono /> },
  {
    key: 'login',
    head: 'People',
    cell: (row) => (row.clientId === undefined ? <span className="dim">tokens only</span> : 'sign in'),
  },
];

export function Issuers() {
  const [open, setOpen] = useState<Open | null>(null);
  const onClose = () => setOpen(null);
  return (
    <>
      <RecordList
        kind="issuers"
        what="The issuers"
        columns={COLUMNS}
        keyOf={(row) => row.name}
        nameOf={(row) => row.name}
        actionsOf={(issuer) => [
          { label: 'Change…', onSelect: () => setOpen({ kind: 'edit', issuer }) },
          { label: 'Try it…', onSelect: () => setOpen({ kind: 'test', issuer }) },
          { label: 'Remove…', isDanger: true, onSelect: () => setOpen({ kind: 'remove', issuer }) },
        ]}
        empty={['No issuer yet', 'With one, people sign in by a provider, and its tokens are taken.']}
        help="Any OpenID Connect provider, or an issuer whose keys are known."
        add="New issuer…"
        onAdd={() => setOpen({ kind: 'new' })}
      />
      {open?.kind === 'new' && <IssuerDialog issuer={null} onClose={onClose} />}
      {open?.kind === 'edit' && <IssuerDialog issuer={open.issuer} onClose={onClose} />}
      {open?.kind === 'test' && <TryDialog issuer={open.issuer} onClose={onClose} />}
      {open?.kind === 'remove' && (
        <FormDialog
          title={`Remove ${open.issuer.name}?`}
          act="Remove the issuer"
          says="The issuer is removed."
          isDanger
          send={() => removeRecord('issuers', open.issuer.name)}
          onClose={onClose}
        >
          <p className="mid">Its tokens and the sessions of its people end at once.</p>
        </FormDialog>
      )}
    </>
  );
}

/** What the provider answered, member by member. */
function TryDialog({ issuer, onClose }: { readonly issuer: Issuer; readonly onClose: () => void }) {
  const [answer, setAnswer] = useState<unknown>(null);
  return (
    <FormDialog
      title={`Try ${issuer.name}`}
      act="Try it"
      says="The provider answered."
      send={() => testIssuer(issuer.name)}
      onClose={onClose}
      onDone={setAnswer}
    >
      <p className="mid">The engine asks the provider who it is and for its keys. Nothing changes.</p>
      {typeof answer === 'object' && answer !== null && (
        <dl className={styles['facts']}>
          {Object.entries(answer).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{shortValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </FormDialog>
  );
}

/** The members that are one line of text each. */
const CLAIMS = [
  ['userClaim', 'Name of the user', 'A path into the token: $.preferred_username'],
  ['groupsClaim', 'Groups', 'Such as: $.groups'],
  ['rolesClaim', 'Roles', 'Such as: $.realm_access.roles'],
  ['tenantClaim', 'Tenant', 'Such as: $.caas_org_id'],
] as const;
type Claim = (typeof CLAIMS)[number][0];

interface IssuerDialogProps {
  readonly issuer: Issuer | null;
  readonly onClose: () => void;
}

function IssuerDialog({ issuer, onClose }: IssuerDialogProps) {
  const [name, setName] = useState(issuer?.name ?? '');
  const [address, setAddress] = useState(issuer?.issuer ?? '');
  const [label, setLabel] = useState(issuer?.label ?? '');
  const [clientId, setClientId] = useState(issuer?.clientId ?? '');
  const [secret, setSecret] = useState(issuer?.clientSecretRef ?? '');
  const known = issuer?.audience;
  const [audience, setAudience] = useState(typeof known === 'string' ? known : (known?.join(', ') ?? ''));
  const [isAny, setAny] = useState(issuer !== null && (known === null || known === undefined));
  const [claims, setClaims] = useState<Readonly<Partial<Record<Claim, string>>>>(issuer ?? {});
  const [roles, setRoles] = useState(printRoleMap(issuer?.roles ?? {}));
  const [group, setGroup] = useState(issuer?.requireGroup ?? '');
  const names = audience.split(',').map((each) => each.trim());
  const map = readRoleMap(roles);
  const record = {
    issuer: address.trim(),
    label: orNull(label),
    clientId: orNull(clientId),
    clientSecretRef: orNull(secret),
    ...Object.fromEntries(CLAIMS.map(([claim]) => [claim, orNull(claims[claim] ?? '')])),
    roles: Object.keys(map).length === 0 ? null : map,
    requireGroup: orNull(group),
  };
  // Null is a value here: tokens for anybody.
  const forWhom = { audience: isAny ? null : names.length === 1 ? names[0] : names };
  return (
    <FormDialog
      title={issuer === null ? 'A new issuer' : `Change ${issuer.name}`}
      act={issuer === null ? 'Trust it' : 'Keep'}
      says={issuer === null ? 'The issuer is trusted now.' : 'Changed.'}
      send={() =>
        issuer === null
          ? createRecord('issuers', { ...present({ name: name.trim(), ...record }), ...forWhom })
          : changeRecord('issuers', issuer.name, { ...record, ...forWhom })
      }
      onClose={onClose}
    >
      {issuer === null && <TextField label="Name" value={name} onChange={setName} isRequired />}
      <TextField
        label="Issuer"
        value={address}
        onChange={setAddress}
        isRequired
        isMono
        placeholder="https://login.example.org/realms/acme"
        help="Exactly as its tokens say it in iss."
      />
      <TextField label="On the login page" value={label} onChange={setLabel} placeholder="Acme account" />
      <TextField
        label="Client id"
        value={clientId}
        onChange={setClientId}
        help="Without one, only tokens are taken."
      />
      <TextField
        label="Client secret"
        value={secret}
        onChange={setSecret}
        isMono
        help="Where it is kept, never the secret itself: vault:NAME"
      />
      <FlagField label="Take its tokens for any audience" value={isAny} onChange={setAny} />
      {!isAny && <TextField label="Audience" value={audience} onChange={setAudience} isRequired isMono />}
      {CLAIMS.map(([claim, word, help]) => (
        <TextField
          key={claim}
          label={word}
          value={claims[claim] ?? ''}
          onChange={(text) => setClaims({ ...claims, [claim]: text })}
          isMono
          help={help}
        />
      ))}
      <RoleMap value={roles} onChange={setRoles} />
      <TextField label="Only people of the group" value={group} onChange={setGroup} />
    </FormDialog>
  );
}

function RoleMap({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  return (
    <div className="field">
      <label htmlFor="role-map">Names there that are roles here</label>
      <textarea
        id="role-map"
        className="in mono"
        rows={3}
        spellCheck={false}
        aria-describedby="role-map-help"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span className="help" id="role-map-help">
        A line for each role: admin=pawl-admins, sre
      </span>
    </div>
  );
}
