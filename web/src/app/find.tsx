/* app/find.tsx — the search box of the top bar: what is typed becomes the keyword of the runs. */
import { type SubmitEvent, useRef } from 'react';
import { useLocation } from 'wouter';

import { runsAddress } from '../ui/addresses';
import { Icon } from '../ui/icon';

export const FIND_ID = 'find';

export function Find() {
  const [, go] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const keyword = input.current?.value.trim() ?? '';
    if (keyword !== '') go(runsAddress(new URLSearchParams({ keyword }).toString()));
  };
  return (
    <form role="search" onSubmit={send}>
      <label className="find">
        <Icon name="search" />
        <input
          ref={input}
          id={FIND_ID}
          type="search"
          placeholder="Find a run by key or id"
          aria-label="Find a run by key or id"
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
    </form>
  );
}
