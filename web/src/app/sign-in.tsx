/* app/sign-in.tsx — asks for the engine's token, once per session of the tab. */
import { type SubmitEvent, useEffect, useRef, useState } from 'react';

import { setToken } from '../api/token';

export function SignIn({ onDone }: { readonly onDone: () => void }) {
  const [token, setText] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    setToken(token.trim());
    onDone();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="sign-in"
      onCancel={(event) => event.preventDefault()}
    >
      <form onSubmit={send} className="dialog-body">
        <h2 id="sign-in">This engine asks for a token</h2>
        <p className="mid">Whoever runs the engine has it. It is kept until you close this tab.</p>
        <div className="field">
          <label htmlFor="token">Token</label>
          <input
            id="token"
            className="in"
            type="password"
            autoComplete="off"
            required
            value={token}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <button className="btn primary" type="submit">
          Go on
        </button>
      </form>
    </dialog>
  );
}
