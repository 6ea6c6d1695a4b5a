/* pages/builder/data-list.tsx — what a step can use, as a list to pick from: the name, whose it is, a sample of the last test. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

import { type DataItem, tellApart } from '../../flow/data';
import { findNode } from '../../flow/flow';
import { isSteps } from '../../flow/format';
import { atPath } from '../../flow/json';
import { shortValue } from '../../ui/words';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import styles from './data-list.module.css';
import { lookOfType } from './kinds';

interface DataListProps {
  readonly id: string;
  readonly items: readonly DataItem[];
  readonly onPick: (item: DataItem) => void;
  readonly onClose: () => void;
}

export function useSample(): (item: DataItem) => string {
  const { flow, samples } = useBuilder();
  return (item) => {
    const [root, id, ...rest] = item.path;
    if (isSteps(flow)) {
      const path = item.path.map(String);
      const value =
        atPath(samples.get(item.node ?? ''), path) ?? atPath(samples.get('trigger'), ['payload', ...path]);
      return value === undefined ? '' : shortValue(value);
    }
    const of =
      root === 'nodes' ? samples.get(String(id)) : root === 'trigger' ? samples.get('trigger') : undefined;
    const path = (root === 'nodes' ? rest : item.path.slice(1)).map(String);
    const value = of === undefined ? undefined : atPath(of, path);
    return value === undefined ? '' : shortValue(value);
  };
}

export function DataList({ id, items, onPick, onClose }: DataListProps) {
  const { flow } = useBuilder();
  const [index, setIndex] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const sample = useSample();
  useEffect(() => {
    list.current?.focus();
    const close = (event: PointerEvent) => {
      if (event.target instanceof Node && list.current?.parentElement?.contains(event.target) === false)
        onClose();
    };
    document.addEventListener('pointerdown', close, true);
    return () => document.removeEventListener('pointerdown', close, true);
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent) => {
    const letter = event.key.length === 1 && !event.ctrlKey ? event.key.toLowerCase() : '';
    if (event.key === 'ArrowDown') setIndex(Math.min(index + 1, items.length - 1));
    else if (event.key === 'ArrowUp') setIndex(Math.max(index - 1, 0));
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else if (event.key === 'Enter' || event.key === ' ') {
      const item = items[index];
      if (item !== undefined) onPick(item);
    } else if (letter !== '') {
      const found = items.findIndex((item, i) => i !== index && item.label.toLowerCase().startsWith(letter));
      if (found >= 0) setIndex(found);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ul
      ref={list}
      id={id}
      className={`pop ${styles['list'] ?? ''}`}
      role="listbox"
      aria-label={t.valuesFromEarlierSteps}
      tabIndex={-1}
      aria-activedescendant={items.length > 0 ? `${id}-${index}` : undefined}
      onKeyDown={onKeyDown}
    >
      {items.length === 0 && <li className={styles['none']}>{t.noEarlierStepGivesAnything}</li>}
      {items.map((item, i) => (
        // The list above has the keys.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={item.path.join('.')}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === index}
          onPointerMove={() => setIndex(i)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(item)}
          ref={(element) => {
            if (i === index) element?.scrollIntoView({ block: 'nearest' });
          }}
        >
          <span className="data" data-colour={lookOfType(item.nodeType).colour}>
            {tellApart(flow, item, items)}
          </span>
          <span className="dim s cut">
            {sample(item) || (item.node === null ? '' : (findNode(flow, item.node)?.label ?? ''))}
          </span>
        </li>
      ))}
    </ul>
  );
}
