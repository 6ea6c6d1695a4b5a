/* app/find.tsx — the search box of the top bar: pages, flows, runs, tasks, entities and triggers, by keyboard from anywhere. */
import { type KeyboardEvent, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';

import { runsAddress } from '../ui/addresses';
import { Icon } from '../ui/icon';
import { useMay } from '../ui/may';
import { t } from '../texts/app';
import { type Find as Found, groupFinds, moveFind } from './finds';
import styles from './find.module.css';
import { useFinds } from './use-finds';

export const FIND_ID = 'find';

export function Find() {
  const [, go] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const id = useId();
  const may = useMay();
  const { finds, missing, isReady } = useFinds(text, isOpen);
  const index = Math.min(at, Math.max(0, finds.length - 1));
  const isShown = isOpen && finds.length > 0;
  useEffect(() => {
    // Works in fields, too, where a letter would be typed.
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const close = () => {
    setOpen(false);
    setAt(0);
  };
  const follow = (href: string) => {
    setText('');
    close();
    input.current?.blur();
    go(href);
  };
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const keyword = text.trim();
    const chosen = finds[index];
    // Somebody who is faster than the engine gets the list of runs, as ever.
    if (isShown && chosen !== undefined && (isReady || at > 0 || chosen.group === t.pages))
      follow(chosen.href);
    else if (keyword !== '' && may('instances:read'))
      follow(runsAddress(new URLSearchParams({ keyword }).toString()));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      if (isShown) close();
      else input.current?.blur();
      return;
    }
    const to = moveFind(event.key, index, finds.length);
    if (to === null) return;
    event.preventDefault();
    setOpen(true);
    setAt(to);
    document.getElementById(`${id}${to}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <form role="search" aria-label={t.findEverything} className={styles['form']} onSubmit={send}>
      <label className="find">
        <Icon name="search" />
        <input
          ref={input}
          id={FIND_ID}
          type="search"
          role="combobox"
          autoComplete="off"
          placeholder={t.findAFlowRunTask}
          aria-label={t.findFlowsRunsTasksEntities}
          aria-expanded={isShown}
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          {...(isShown ? { 'aria-activedescendant': `${id}${index}` } : {})}
          value={text}
          onFocus={() => setOpen(true)}
          onBlur={close}
          onChange={(event) => {
            setText(event.target.value);
            setOpen(true);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      {isShown && (
        <Finds
          id={id}
          finds={finds}
          missing={missing}
          chosen={finds[index]}
          onChoose={follow}
          isReady={isReady || text.trim() === ''}
        />
      )}
    </form>
  );
}

interface FindsProps {
  readonly id: string;
  readonly finds: readonly Found[];
  readonly missing: string;
  readonly chosen: Found | undefined;
  readonly isReady: boolean;
  readonly onChoose: (href: string) => void;
}

function Finds({ id, finds, missing, chosen, isReady, onChoose }: FindsProps) {
  const places = new Map(finds.map((find, index) => [find.key, index]));
  return (
    <div className={`pop ${styles['list'] ?? ''}`}>
      <div id={`${id}list`} role="listbox" aria-label={t.whatWasFound} aria-busy={!isReady}>
        {groupFinds(finds).map(([group, members]) => (
          <div key={group} role="group" aria-label={group}>
            <h3 aria-hidden="true">{group}</h3>
            {members.map((find) => (
              // The field keeps the focus: a press would take it away before the click. Keys are the field's.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={find.key}
                id={`${id}${places.get(find.key) ?? 0}`}
                role="option"
                tabIndex={-1}
                aria-selected={find === chosen}
                className={styles['find']}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onChoose(find.href)}
              >
                <Icon name={find.icon} small />
                <span className="cut" dir="auto" title={find.title}>
                  {find.title}
                </span>
                {find.note !== '' && (
                  <span className="dim s cut" dir="auto">
                    {find.note}
                  </span>
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
      {missing !== '' && <p className={styles['missing']}>{missing}</p>}
    </div>
  );
}
