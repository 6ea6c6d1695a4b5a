/* pages/login/password-form.tsx — a name and a password. The engine says the same of everything that is wrong with them. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';

import { signIn } from '../../api/session';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { t } from '../../texts/login';
import styles from './login.module.css';

export function PasswordForm({ onDone }: { readonly onDone: () => Promise<void> }) {
  const id = useId();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const send = useMutation({
    mutationFn: async () => {
      await signIn(name.trim(), password);
      await onDone();
    },
    onError: () => {
      setPassword('');
      second.current?.focus();
    },
  });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate();
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-name`}>{t.name2}</label>
        <input
          ref={first}
          id={`${id}-name`}
          className="in"
          required
          maxLength={64}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-password`}>{t.password}</label>
        <input
          ref={second}
          id={`${id}-password`}
          className="in"
          type="password"
          required
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </div>
      {send.isError && <Failed problem={send.error} />}
      <Button look="primary" type="submit" isBusy={send.isPending}>
        {t.signIn}
      </Button>
    </form>
  );
}
