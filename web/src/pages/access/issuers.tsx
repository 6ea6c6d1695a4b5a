/* pages/access/issuers.tsx — who else says who somebody is: providers of logins, and issuers of tokens. */
import { useState } from 'react';

import { changeRecord, createRecord, type Issuer, removeRecord, testIssuer } from '../../api/access';
import type { Column } from '../../ui/table';
import { shortValue } from '../../ui/words';
import { t } from '../../texts/access';
import { FlagField, TextField } from './fields';
import { FormDialog } from './form-dialog';
import styles from './access.module.css';
import { Name, RecordList } from './record-list';
import { orNull, present, printRoleMap, readRoleMap } from './words';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'test' | 'remove'; readonly issuer: Issuer };

function audienceWords({ audience }: Issuer): string {
  if (audience === null || audience === undefined) return t.any;
  return typeof audience === 'string' ? audience : audience.join(', ');
}

const COLUMNS: readonly Column<Issuer>[] = [
  { key: 'name', head: t.name2, cell: (row) => <Name text={row.name} /> },
  {
    key: 'label',
    head: t.onTheLoginPage,
    isOptional: true,
    cell: (row) => <Name text={row.label ?? ''} />,
  },
  {
    key: 'issuer',
    head: t.issuer,
    isWide: true,
    cell: (row) => (
      <code title={row.issuer}>
        <bdi>{row.issuer}</bdi>
      </code>
    ),
  },
  { key: 'audience', head: t.for, cell: (row) => <Name text={audienceWords(row)} isMono /> },
  {
    key: 'login',
    head: t.people,
    cell: (row) => (row.clientId === undefined ? <span className="dim">{t.tokensOnly}</span> : t.signIn),
  },
];

export function Issuers() {
  const [open, setOpen] = useState<Open | null>(null);
  const onClose = () => setOpen(null);
  return (
    <>
      <RecordList
        kind="issuers"
        what={t.theIssuers}
        columns={COLUMNS}
        keyOf={(row) => row.name}
        nameOf={(row) => row.name}
        actionsOf={(issuer) => [
          { label: t.change, onSelect: () => setOpen({ kind: 'edit', issuer }) },
          { label: t.tryIt, onSelect: () => setOpen({ kind: 'test', issuer }) },
          { label: t.remove, isDanger: true, onSelect: () => setOpen({ kind: 'remove', issuer }) },
        ]}
        empty={[t.noIssuerYet, t.withOnePeopleSign]}
        help={t.anyOpenidConnectProvider}
        add={t.newIssuer}
        onAdd={() => setOpen({ kind: 'new' })}
      />
      {open?.kind === 'new' && <IssuerDialog issuer={null} onClose={onClose} />}
      {open?.kind === 'edit' && <IssuerDialog issuer={open.issuer} onClose={onClose} />}
      {open?.kind === 'test' && <TryDialog issuer={open.issuer} onClose={onClose} />}
      {open?.kind === 'remove' && (
        <FormDialog
          title={t.remove2(open.issuer.name)}
          act={t.removeTheIssuer}
          says={t.theIssuerIsRemoved}
          isDanger
          send={() => removeRecord('issuers', open.issuer.name)}
          onClose={onClose}
        >
          <p className="mid">{t.itsTokensAndTheSessions}</p>
        </FormDialog>
      )}
    </>
  );
}

/** The provider's answer, member by member. */
function TryDialog({ issuer, onClose }: { readonly issuer: Issuer; readonly onClose: () => void }) {
  const [answer, setAnswer] = useState<unknown>(null);
  return (
    <FormDialog
      title={t.try(issuer.name)}
      act={t.tryIt2}
      says={t.theProviderAnswered}
      send={() => testIssuer(issuer.name)}
      onClose={onClose}
      onDone={setAnswer}
    >
      <p className="mid">{t.theEngineAsksTheProvider}</p>
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
  ['userClaim', t.nameOfTheUser, t.aPathIntoTheToken],
  ['groupsClaim', t.claimGroups, t.suchAsGroups],
  ['rolesClaim', t.claimRoles, t.suchAsRoles],
  ['tenantClaim', t.claimTenant, t.suchAsTenant],
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
      title={issuer === null ? t.aNewIssuer : t.change2(issuer.name)}
      act={issuer === null ? t.trustIt : t.keep}
      says={issuer === null ? t.theIssuerIsTrustedNow : t.changed}
      send={() =>
        issuer === null
          ? createRecord('issuers', { ...present({ name: name.trim(), ...record }), ...forWhom })
          : changeRecord('issuers', issuer.name, { ...record, ...forWhom })
      }
      onClose={onClose}
    >
      {issuer === null && <TextField label={t.name2} value={name} onChange={setName} isRequired />}
      <TextField
        label={t.issuer}
        value={address}
        onChange={setAddress}
        isRequired
        isMono
        placeholder="https://login.example.org/realms/acme"
        help={t.exactlyAsItsTokensSay}
      />
      <TextField label={t.onTheLoginPage} value={label} onChange={setLabel} placeholder={t.acmeAccount} />
      <TextField label={t.clientId} value={clientId} onChange={setClientId} help={t.withoutOneOnlyTokens} />
      <TextField
        label={t.clientSecret}
        value={secret}
        onChange={setSecret}
        isMono
        help={t.whereItIsKeptNever}
      />
      <FlagField label={t.takeItsTokensForAny} value={isAny} onChange={setAny} />
      {!isAny && <TextField label={t.audience} value={audience} onChange={setAudience} isRequired isMono />}
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
      <TextField label={t.onlyPeopleOfTheGroup} value={group} onChange={setGroup} />
    </FormDialog>
  );
}

function RoleMap({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  return (
    <div className="field">
      <label htmlFor="role-map">{t.namesThereThatAreRoles}</label>
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
        {t.aLineForEachRole}
      </span>
    </div>
  );
}
