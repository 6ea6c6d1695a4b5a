/* pages/account/change-password.tsx — another password for oneself. It ends all other sessions. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { setPassword } from '../../api/session';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Failed } from '../../ui/failed';
import { NewPassword } from '../../ui/new-password';
import { t } from '../../texts/account';
import styles from './account.module.css';

export function ChangePassword({ name }: { readonly name: string }) {
  const id = useId();
  const queries = useQueryClient();
  const [old, setOld] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => setPassword(name, next, old),
    onSuccess: async () => {
      setOld('');
      setNext('');
      announce(t.thePasswordIsChangedYour);
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <section className="card">
      <header>
        <h2>{t.changeThePassword}</h2>
      </header>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!change.isPending) change.mutate();
        }}
      >
        {/* For password managers: whose password it is. */}
        <input type="text" autoComplete="username" value={name} readOnly hidden />
        <div className="field">
          <label htmlFor={id}>{t.thePasswordNow}</label>
          <input
            id={id}
            className="in"
            type="password"
            required
            autoComplete="current-password"
            value={old}
            onChange={(event) => setOld(event.target.value)}
          />
        </div>
        <NewPassword label={t.theNewOne} value={next} onChange={setNext} />
        {change.isError && <Failed problem={change.error} />}
        {change.isSuccess && <p className="mid">{t.thePasswordIsChangedYour}</p>}
        <div>
          <Button type="submit" isBusy={change.isPending}>
            {t.changeIt}
          </Button>
        </div>
      </form>
    </section>
  );
}
