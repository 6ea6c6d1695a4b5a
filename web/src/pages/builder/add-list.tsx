/* pages/builder/add-list.tsx — the list of steps that can be added, with a search: letters narrow it, arrows move, Enter adds. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';

import type { NodeTypes } from '../../flow/data';
import { type Flow, isStartType } from '../../flow/flow';
import type { Palette } from '../../flow/format';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/builder';
import styles from './add-list.module.css';
import { type AddRequest } from './context';
import { lookOfType, paletteOf } from './kinds';

const WIDTH = 264;
const HEIGHT = 376;

interface AddListProps {
  readonly request: AddRequest;
  readonly flow: Flow;
  readonly types: NodeTypes;
  readonly onPick: (type: string, by: 'pointer' | 'keys') => void;
  readonly onClose: () => void;
}

function matches(entry: Palette[number]['entries'][number], label: string, words: string): boolean {
  const text = `${label} ${entry.help}`.toLowerCase();
  return words.split(' ').every((word) => text.includes(word));
}

export function AddList({ request, flow, types, onPick, onClose }: AddListProps) {
  const [search, setSearch] = useState('');
  const [index, setIndex] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const isAtStart = request.place.kind === 'loose';
  const canStart = request.place.kind === 'after' || request.place.kind === 'line';
  const entries = useMemo(() => {
    const label = (type: string) => types.get(type)?.label ?? type;
    const all = paletteOf(flow).flatMap((group) =>
      group.entries.map((entry) => ({ ...entry, group: group.title, label: label(entry.type) })),
    );
    const words = search.trim().toLowerCase();
    // A start stands by itself wherever the list was opened: it is there for who asks for it.
    const found = all.filter(
      (entry) =>
        (isAtStart || !isStartType(entry.type) || (canStart && words !== '')) &&
        matches(entry, entry.label, words),
    );
    // Entries that begin with the letters come first.
    return words === ''
      ? found
      : found.sort(
          (a, b) =>
            Number(b.label.toLowerCase().startsWith(words)) - Number(a.label.toLowerCase().startsWith(words)),
        );
  }, [search, flow, types, isAtStart, canStart]);
  const active = Math.min(index, Math.max(0, entries.length - 1));

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const close = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) onClose();
    };
    document.addEventListener('pointerdown', close, true);
    return () => document.removeEventListener('pointerdown', close, true);
  }, [onClose]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (event.key === 'ArrowDown') setIndex(Math.min(active + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setIndex(Math.max(active - 1, 0));
    else if (event.key === 'Enter') {
      const entry = entries[active];
      if (entry !== undefined) onPick(entry.type, 'keys');
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = Math.max(
    8,
    Math.min((request.at?.x ?? window.innerWidth / 2) - WIDTH / 2, window.innerWidth - WIDTH - 8),
  );
  const top = Math.max(8, Math.min(request.at?.y ?? window.innerHeight / 3, window.innerHeight - HEIGHT - 8));
  return (
    <div
      ref={box}
      className={`pop ${styles['list'] ?? ''}`}
      style={{ left, top }}
      role="dialog"
      aria-label={t.addAStep}
    >
      <label className="find">
        <Icon name="search" />
        <input
          ref={field}
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          aria-label={t.findAStep}
          placeholder={t.whichStep}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <ul id={id} role="listbox" aria-label={t.steps} className={styles['items']}>
        {entries.map((entry, i) => {
          const look = lookOfType(entry.type);
          return (
            // The keyboard moves by the field above.
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events
            <li
              key={entry.type}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              className={styles['item']}
              ref={(element) => {
                if (i === active) element?.scrollIntoView({ block: 'nearest' });
              }}
              onPointerMove={() => setIndex(i)}
              onClick={() => onPick(entry.type, 'pointer')}
            >
              <span className="square" data-colour={look.colour}>
                <Icon name={look.icon} />
              </span>
              <b>{entry.label}</b>
              <small>{entry.help}</small>
            </li>
          );
        })}
      </ul>
      {entries.length === 0 && <p className="dim s">{t.noStepIsCalledSo}</p>}
    </div>
  );
}
