/* pages/connections/set-dialog.tsx — sets the value of a connection, new or in place of another one. The page forgets it at once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { type ConnectionKind, connectionsQuery, setSecret } from '../../api/connections';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Failed } from '../../ui/failed';
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
        label="Server"
        help="Its name, and its port if that is not the usual one: mail.example:587"
        value={fields.server}
        onChange={(server) => set({ server })}
      />
      <div className="field">
        <label htmlFor={id}>Security</label>
        <select
          id={id}
          className="in"
          value={fields.security}
          onChange={(event) => set({ security: event.target.value as MailFields['security'] })}
        >
          <option value="starttls">TLS after the greeting (STARTTLS)</option>
          <option value="tls">TLS from the first byte</option>
          <option value="none">None: passwords can be read on the way</option>
        </select>
      </div>
      <Text label="User" isOptional value={fields.user} onChange={(user) => set({ user })} />
      <Text
        label="Password"
        type="password"
        isOptional
        value={fields.password}
        onChange={(password) => set({ password })}
      />
      <Text
        label="E-mails come from"
        type="email"
        isOptional
        help="For messages that name no sender"
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
      announce(`${chosen} has a new value.`);
      await queries.invalidateQueries({ queryKey: connectionsQuery().queryKey });
      onSet(chosen);
    },
  });
  return (
    <Dialog
      title={name === null ? 'New connection' : `A new value for ${name}`}
      onClose={onClose}
      onSubmit={() => set.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Let it be</Button>
          <Button look="primary" type="submit" isBusy={set.isPending}>
            Set it
          </Button>
        </>
      }
    >
      {name === null ? (
        <Text
          label="Name"
          help="Letters, digits, _, - and . Flows use it by this name."
          pattern="[A-Za-z0-9_\-][A-Za-z0-9_.\-]*"
          value={typed}
          onChange={setTyped}
        />
      ) : (
        <p className="mid">Calls that leave from now on use the new value, also those of runs under way.</p>
      )}
      <div className="field">
        <label htmlFor={id}>What is it?</label>
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
        <Text label="Value" type="password" help={VALUE_HELP[kind]} value={value} onChange={setValue} />
      )}
      {set.isError && <Failed problem={set.error} />}
    </Dialog>
  );
}
