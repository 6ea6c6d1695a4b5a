/* pages/builder/palette.tsx — what can be added, always in sight. A click adds behind the chosen step. */
import { useMemo } from 'react';

import { type Place } from '../../flow/command';
import { type Flow, isEndType, isStartType, linesTo, nodesOf } from '../../flow/flow';
import { Icon } from '../../ui/icon';
import { useRoving } from '../../ui/use-roving';
import { t } from '../../texts/builder';
import { useBuilder } from './context';
import { lookOfType, newConfig, paletteOf } from './kinds';
import styles from './palette.module.css';

/** Where a step goes that is added without a place: behind the chosen one, else before the first end. */
export function placeFor(flow: Flow, selection: ReturnType<typeof useBuilder>['selection']): Place {
  if (selection.kind === 'line') return { kind: 'line', key: selection.key };
  const id = selection.kind === 'nodes' ? selection.ids[0] : undefined;
  const chosen = nodesOf(flow).find((node) => node.id === id);
  if (chosen !== undefined && !isEndType(chosen.type)) return { kind: 'after', node: chosen.id };
  const end = chosen ?? nodesOf(flow).find((node) => isEndType(node.type));
  const line = end === undefined ? undefined : linesTo(flow, end.id)[0];
  if (line !== undefined) return { kind: 'line', key: line.key };
  const last = nodesOf(flow).findLast((node) => !isEndType(node.type));
  return last === undefined ? { kind: 'loose', at: null } : { kind: 'after', node: last.id };
}

export function Palette() {
  const { flow, selection, types, dispatch, openAdd, openPanel } = useBuilder();
  const groups = useMemo(
    () =>
      paletteOf(flow).map((group) => ({
        ...group,
        entries: group.entries.filter((entry) => types.has(entry.type)),
      })),
    [flow, types],
  );
  const count = groups.reduce((sum, group) => sum + group.entries.length, 0);
  const roving = useRoving(count);
  let index = 0;
  const add = (type: string, isByPointer: boolean) => {
    const place: Place = isStartType(type) ? { kind: 'loose', at: null } : placeFor(flow, selection);
    const isDone = dispatch({
      kind: 'addNode',
      type,
      label: types.get(type)?.label ?? type,
      config: newConfig(type),
      place,
    });
    if (isDone && isByPointer) openPanel();
  };
  return (
    <nav
      className={styles['palette']}
      aria-label={t.stepsThatCanBeAdded}
      data-rove-list
      data-region="palette"
    >
      <button
        type="button"
        className={`find ${styles['search'] ?? ''}`}
        title={t.addAStep2}
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          openAdd({
            place: placeFor(flow, selection),
            at: { x: left + 132, y: bottom + 4 },
            opener: event.currentTarget,
          });
        }}
      >
        <Icon name="plus" />
        <span className="grow">{t.addAStep}</span>
        <kbd>A</kbd>
      </button>
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h2>{group.title}</h2>
          {group.entries.map((entry) => {
            const at = index++;
            const look = lookOfType(entry.type);
            return (
              <button
                key={entry.type}
                type="button"
                data-rove
                tabIndex={roving.tabIndexOf(at)}
                title={types.get(entry.type)?.label}
                onKeyDown={roving.onKeyDown}
                onFocus={() => roving.setIndex(at)}
                // Enter and Space press a button without a pointer, and stay in the list.
                onClick={(event) => add(entry.type, event.detail > 0)}
              >
                <span className="square" data-colour={look.colour}>
                  <Icon name={look.icon} />
                </span>
                <b className="cut">{types.get(entry.type)?.label}</b>
                <small className="cut">{entry.help}</small>
              </button>
            );
          })}
        </section>
      ))}
    </nav>
  );
}
