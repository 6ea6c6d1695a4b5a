/* pages/login/first-admin.tsx — the first admin chooses a name and a password, by the link that the engine made. */
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { beginAccess } from '../../api/session';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { NewPassword } from '../../ui/new-password';
import { t } from '../../texts/login';
import styles from './login.module.css';

interface FirstAdminProps {
  readonly code: string;
  readonly onDone: () => Promise<void>;
}

export function FirstAdmin({ code, onDone }: FirstAdminProps) {
  const id = useId();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const begin = useMutation({
    mutationFn: async () => {
      await beginAccess(code, name.trim(), password);
      await onDone();
    },
  });
  return (
    <>
      <h1>{t.theFirstAdmin}</h1>
      <p className="mid">{t.youMayDoEverythingHere}</p>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!begin.isPending) begin.mutate();
        }}
      >
        <div className="field">
          <label htmlFor={id}>{t.name2}</label>
          <input
            id={id}
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
        <NewPassword label={t.password} value={password} onChange={setPassword} />
        {begin.isError && <Failed problem={begin.error} />}
        <Button look="primary" type="submit" isBusy={begin.isPending}>
          {t.begin}
        </Button>
      </form>
    </>
  );
}
