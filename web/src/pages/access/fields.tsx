/* pages/access/fields.tsx — the fields that forms about access are made of. */
import { useId } from 'react';

import { ROLE_WORDS, ROLES } from '../../ui/permissions';
import styles from './access.module.css';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly help?: string;
  readonly isRequired?: boolean;
  readonly isMono?: boolean;
  readonly type?: 'text' | 'email' | 'number' | 'date' | 'url';
  readonly choices?: readonly string[];
  readonly placeholder?: string;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, help, isRequired = false, isMono = false, type = 'text', choices } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={isMono ? 'in mono' : 'in'}
        type={type}
        required={isRequired}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={1024}
        value={value}
        {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
        {...(choices === undefined ? {} : { list: `${id}-choices` })}
        {...(help === undefined ? {} : { 'aria-describedby': `${id}-help` })}
        onChange={(event) => onChange(event.target.value)}
      />
      {choices !== undefined && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {help !== undefined && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}

interface RolesFieldProps {
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (roles: readonly string[]) => void;
}

/** The seven roles, each with what it is for. */
export function RolesField({ label, value, onChange }: RolesFieldProps) {
  const toggle = (role: string) =>
    onChange(value.includes(role) ? value.filter((each) => each !== role) : [...value, role]);
  return (
    <fieldset className="field">
      <legend className="label">{label}</legend>
      <div className={styles['roles']}>
        {ROLES.map((role) => (
          <label key={role}>
            <input
              type="checkbox"
              className="cb"
              checked={value.includes(role)}
              onChange={() => toggle(role)}
            />
            <b className="m">{role}</b>
            <span className="dim">{ROLE_WORDS[role]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SelectFieldProps<Word extends string> {
  readonly label: string;
  readonly value: Word;
  readonly words: Readonly<Record<Word, string>>;
  readonly onChange: (word: Word) => void;
}

export function SelectField<Word extends string>({ label, value, words, onChange }: SelectFieldProps<Word>) {
  const id = useId();
  const isWord = (text: string): text is Word => text in words;
  const choices = Object.keys(words).filter(isWord);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="in"
        value={value}
        onChange={(event) => onChange(choices.find((word) => word === event.target.value) ?? value)}
      >
        {choices.map((word) => (
          <option key={word} value={word}>
            {words[word]}
          </option>
        ))}
      </select>
    </div>
  );
}

interface FlagFieldProps {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (flag: boolean) => void;
}

export function FlagField({ label, value, onChange }: FlagFieldProps) {
  return (
    <label className={styles['flag']}>
      <input type="checkbox" className="cb" checked={value} onChange={() => onChange(!value)} />
      <span>{label}</span>
    </label>
  );
}
