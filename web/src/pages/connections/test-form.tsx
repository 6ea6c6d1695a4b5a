/* pages/connections/test-form.tsx — tries a connection: "send me a mail", or asks the database for nothing. */
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { testConnection, type TestKind } from '../../api/connections';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { EngineWords } from '../../ui/engine-words';
import { Failed } from '../../ui/failed';
import { StatusMark } from '../../ui/status-mark';
import { t } from '../../texts/connections';
import { sayFailure } from '../../texts/engine';
import styles from './connections.module.css';
import { KIND_WORDS } from './words';

const BUTTON: { readonly [K in TestKind]: string } = {
  mail: t.sendMeAMail,
  database: t.askTheDatabase,
  broker: t.lookAtTheLink,
};

/** Why it does not work: what its code says, and the engine's own words. */
function Why({ why = '', error = '' }: { readonly why?: string; readonly error?: string }) {
  const own = error === '' ? why : `${why} (${error})`;
  const sentence = sayFailure(error);
  return sentence === '' ? <span lang="en">{own}</span> : <EngineWords sentence={sentence} own={own} />;
}

interface TestFormProps {
  readonly name: string;
  readonly kinds: readonly TestKind[];
}

export function TestForm({ name, kinds }: TestFormProps) {
  const id = useId();
  const [kind, setKind] = useState<TestKind>(kinds[0] ?? 'mail');
  const [to, setTo] = useState('');
  const test = useMutation({
    mutationFn: () => testConnection(name, kind, to.trim()),
    onSuccess: ({ ok, why }) => announce(ok ? t.itWorks : t.itDoesNotWork(why ?? '')),
  });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate();
      }}
    >
      {kinds.length > 1 && (
        <div className="field">
          <label htmlFor={`${id}-kind`}>{t.testIt}</label>
          <select
            id={`${id}-kind`}
            className="in"
            value={kind}
            onChange={(event) => setKind(event.target.value as TestKind)}
          >
            {kinds.map((each) => (
              <option key={each} value={each}>
                {KIND_WORDS[each]}
              </option>
            ))}
          </select>
        </div>
      )}
      {kind === 'mail' && (
        <div className="field">
          <label htmlFor={id}>{t.yourEMailAddress}</label>
          <input
            id={id}
            className="in"
            type="email"
            required
            autoComplete="email"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </div>
      )}
      <div>
        <Button
          type="submit"
          needs="secrets:use"
          icon={kind === 'mail' ? 'mail' : 'play'}
          isBusy={test.isPending}
        >
          {BUTTON[kind]}
        </Button>
      </div>
      {test.isError && <Failed problem={test.error} />}
      {test.isSuccess && (
        <div className={styles['result']}>
          <StatusMark
            status={test.data.ok ? 'completed' : 'failed'}
            word={test.data.ok ? t.itWorks2 : t.itDoesNotWork2}
            isSmall
          />
          <small>
            {test.data.ok ? (
              t.answeredIn(t.nMilliseconds(test.data.tookMs), kind === 'mail' ? t.lookIntoYourMail : '')
            ) : (
              <Why {...test.data} />
            )}
          </small>
        </div>
      )}
    </form>
  );
}
