/* pages/inbox/who-am-i.tsx — asks once who sits here, where nobody has to sign in. */
import { useEffect, useRef, useState } from 'react';

import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { type Person, readGroups, setPerson } from '../../ui/person';
import { t } from '../../texts/inbox';
import styles from './inbox.module.css';

interface WhoAmIProps {
  /** Null: the first time, when there is nothing to go back to. */
  readonly person: Person | null;
  readonly onDone: () => void;
}

export function WhoAmI({ person, onDone }: WhoAmIProps) {
  const [name, setName] = useState(person?.name ?? '');
  const [groups, setGroups] = useState(person?.groups.join(', ') ?? '');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const save = () => {
    if (name.trim() === '') return;
    setPerson({ name: name.trim(), groups: readGroups(groups) });
    onDone();
  };
  const fields = (
    <>
      <p className="mid">{t.tasksAreForPeople}</p>
      <div className="field">
        <label htmlFor="person-name">{t.yourNameAsYourFlows}</label>
        <input
          ref={first}
          id="person-name"
          className="in"
          required
          maxLength={256}
          autoComplete="username"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor="person-groups">{t.yourGroups}</label>
        <input
          id="person-groups"
          className="in"
          value={groups}
          aria-describedby="person-groups-help"
          onChange={(event) => setGroups(event.target.value)}
        />
        <span className="help" id="person-groups-help">
          {t.commasBetweenThemSuch}
        </span>
      </div>
    </>
  );
  const button = (
    <Button look="primary" type="submit">
      {person === null ? t.showMyTasks : t.keep}
    </Button>
  );
  if (person !== null)
    return (
      <Dialog title={t.whoAreYou} onClose={onDone} onSubmit={save} footer={button}>
        {fields}
      </Dialog>
    );
  return (
    <form
      className={`card dialog-body ${styles['ask'] ?? ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h1>{t.whoAreYou}</h1>
      {fields}
      <div>{button}</div>
    </form>
  );
}
