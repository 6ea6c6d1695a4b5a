/* pages/connections/set-dialog.tsx — sets the value of a connection, new or in place of another one. The page forgets it at once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { type ConnectionKind, connectionsQuery, setSecret } from '../../api/connections';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
import { t } from '../../texts/connections';
import { KIND_WORDS, type MailFields, mailValue, VALUE_HELP } from './words';

const KINDS = ['mail', 'database', 'broker', 'http', 'secret'] as const;
const NO_MAIL: MailFields = { server: '', security: 'starttls', user: '', password: '', from: '' };

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  readonly type?: 'text' | 'password' | 'email';
  readonly isOptional?: boolean;
  readonly pattern?: string;
}

function Text({ label, value, onChange, help, type = 'text', isOptional = false, pattern }: TextProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="in"
        type={type}
        value={value}
        required={!isOptional}
        autoComplete="off"
        spellCheck={false}
        {...(pattern === undefined ? {} : { pattern })}
        {...(help === undefined ? {} : { 'aria-describedby': `${id}-help` })}
        onChange={(event) => onChange(event.target.value)}
      />
      {help !== undefined && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}

interface MailProps {
  readonly fields: MailFields;
  readonly onChange: (fields: MailFields) => void;
}

function MailForm({ fields, onChange }: MailProps) {
  const id = useId();
  const set = (part: Partial<MailFields>) => onChange({ ...fields, ...part });
  return (
    <>
      <Text
        label={t.server}
        help={t.itsNameAndItsPort}
        value={fields.server}
        onChange={(server) => set({ server })}
      />
      <div className="field">
        <label htmlFor={id}>{t.security}</label>
        <select
          id={id}
          className="in"
          value={fields.security}
          onChange={(event) => set({ security: event.target.value as MailFields['security'] })}
        >
          <option value="starttls">{t.tlsAfterTheGreeting}</option>
          <option value="tls">{t.tlsFromTheFirstByte}</option>
          <option value="none">{t.nonePasswordsCanBeRead}</option>
        </select>
      </div>
      <Text label={t.user} isOptional value={fields.user} onChange={(user) => set({ user })} />
      <Text
        label={t.password}
        type="password"
        isOptional
        value={fields.password}
        onChange={(password) => set({ password })}
      />
      <Text
        label={t.eMailsCome}
        type="email"
        isOptional
        help={t.forMessagesThatNameNo}
        value={fields.from}
        onChange={(from) => set({ from })}
      />
    </>
  );
}

interface SetDialogProps {
  /** Null: a new one, whose name is asked for. */
  readonly name: string | null;
  readonly kind: ConnectionKind;
  readonly onClose: () => void;
  readonly onSet: (name: string) => void;
}

export function SetDialog({ name, kind: firstKind, onClose, onSet }: SetDialogProps) {
  const queries = useQueryClient();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [kind, setKind] = useState<ConnectionKind>(firstKind);
  const [mail, setMail] = useState(NO_MAIL);
  const [value, setValue] = useState('');
  const chosen = name ?? typed.trim();
  const set = useMutation({
    mutationFn: () => setSecret(chosen, kind === 'mail' ? mailValue(mail) : value),
    gcTime: 0,
    onSuccess: async () => {
      announce(t.hasANewValue(chosen));
      await queries.invalidateQueries({ queryKey: connectionsQuery().queryKey });
      onSet(chosen);
    },
  });
  return (
    <Dialog
      title={name === null ? t.newConnection2 : t.aNewValue(name)}
      onClose={onClose}
      onSubmit={() => set.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{t.letIt}</Button>
          <Button look="primary" type="submit" isBusy={set.isPending}>
            {t.setIt2}
          </Button>
        </>
      }
    >
      {name === null ? (
        <Text
          label={t.name2}
          help={t.lettersDigitsAndFlowsUse}
          pattern="[A-Za-z0-9_\-][A-Za-z0-9_.\-]*"
          value={typed}
          onChange={setTyped}
        />
      ) : (
        <p className="mid">{t.callsThatLeaveFromNow}</p>
      )}
      <div className="field">
        <label htmlFor={id}>{t.whatIs}</label>
        <select
          id={id}
          className="in"
          value={kind}
          onChange={(event) => setKind(event.target.value as ConnectionKind)}
        >
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {KIND_WORDS[each]}
            </option>
          ))}
        </select>
      </div>
      {kind === 'mail' ? (
        <MailForm fields={mail} onChange={setMail} />
      ) : (
        <Text label={t.value} type="password" help={VALUE_HELP[kind]} value={value} onChange={setValue} />
      )}
      {set.isError && <Failed problem={set.error} />}
    </Dialog>
  );
}
