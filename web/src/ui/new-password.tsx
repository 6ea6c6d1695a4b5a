/* ui/new-password.tsx — a password that somebody chooses. Length is the only rule that the page knows; the engine is the judge. */
import { useId, useState } from 'react';

import { t } from '../texts/ui';
import { Button } from './button';

/** As PASSWORD_MIN of the engine. */
const LETTERS_MIN = 12;

interface NewPasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
  readonly isOptional?: boolean;
  readonly help?: string;
}

export function NewPassword({ label, value, onChange, isOptional = false, help }: NewPasswordProps) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        <input
          id={id}
          className="in"
          type={isShown ? 'text' : 'password'}
          required={!isOptional}
          minLength={LETTERS_MIN}
          autoComplete="new-password"
          spellCheck={false}
          aria-describedby={`${id}-help`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button isPressed={isShown} onClick={() => setShown(!isShown)}>
          {t.show}
        </Button>
      </div>
      <span className="help" id={`${id}-help`}>
        {help ?? t.atLeastCharactersSeveral(LETTERS_MIN)}
      </span>
    </div>
  );
}
