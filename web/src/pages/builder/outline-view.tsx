/* pages/builder/outline-view.tsx — the flow as a tree of steps and lines: for who cannot see the canvas, and the fastest way for who
 * can. Every command has a way through it: the keys are the canvas's own, and Enter opens the panel of a step or line. */
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';

import { findLine, findNode, nodesOf } from '../../flow/flow';
import { itemKey, type OutlineItem, outlineOf, parentsOf, shownItems } from '../../flow/outline';
import { captionOf, sayLine } from '../../flow/say';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { sayKey } from '../../ui/keys';
import { t } from '../../texts/builder';
import { sayProblem } from '../../texts/engine';
import { useBuilder } from './context';
import { lookOfType } from './kinds';
import styles from './outline.module.css';
import { sayFix } from './problems';
import { useCanvasKeys } from './use-canvas-keys';

const NOTHING: ReadonlySet<string> = new Set();
/** Longer lists have buttons that fold all of them. */
const LONG = 40;

/* The tree says what is folded, and its keys fold it: a button in the tree would be the beginning of the item's name. */
function Twist({
  isFolded,
  onFold,
}: {
  readonly isFolded: boolean;
  readonly onFold: (isFolded: boolean) => void;
}) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`btn quiet icon small ${styles['twist'] ?? ''}`}
      aria-hidden
      title={isFolded ? t.unfoldIt : t.foldIt}
      onClick={(event) => {
        event.stopPropagation();
        onFold(!isFolded);
      }}
    >
      <Icon name={isFolded ? 'right' : 'down'} small />
    </button>
  );
}

export function OutlineView() {
  const builder = useBuilder();
  const { flow, types, selection, problemsOf, select, dispatch, openPanel, openAdd, order } = builder;
  const all = useMemo(() => outlineOf(flow), [flow]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(NOTHING);
  const parents = useMemo(() => parentsOf(all), [all]);
  const fold = (key: string, isFolded: boolean) => {
    if (!parents.has(key)) return;
    const next = new Set(folded);
    if (isFolded) next.add(key);
    else next.delete(key);
    setFolded(next);
  };
  const list = useRef<HTMLUListElement>(null);
  const chosen =
    selection.kind === 'line'
      ? `l:${selection.key}`
      : selection.kind === 'nodes'
        ? `n:${selection.ids[0] ?? ''}`
        : null;
  // An item that is chosen elsewhere is never hidden here.
  const items = useMemo(() => {
    const shown = shownItems(all, folded);
    const has = (list: readonly OutlineItem[]) => list.some((item) => itemKey(item) === chosen);
    return chosen === null || has(shown) || !has(all) ? shown : all;
  }, [all, folded, chosen]);
  const found = items.findIndex((item) => itemKey(item) === chosen);
  const index = found < 0 ? 0 : found;

  const choose = (item: OutlineItem) => {
    if (item.kind === 'node') select({ kind: 'nodes', ids: [item.id] });
    else if (item.kind === 'line') select({ kind: 'line', key: item.key });
    else select({ kind: 'nodes', ids: [item.to] });
  };
  const goTo = (at: number) => {
    const item = items[Math.max(0, Math.min(at, items.length - 1))];
    if (item === undefined) return;
    choose(item);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  const focusStep = () =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  const keys = useCanvasKeys(focusStep);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLButtonElement || event.ctrlKey || event.metaKey) {
      keys(event);
      return;
    }
    const item = items[index];
    if (!event.altKey && event.key === 'ArrowDown') goTo(index + 1);
    else if (!event.altKey && event.key === 'ArrowUp') goTo(index - 1);
    else if (item !== undefined && (event.key === '-' || event.key === '+'))
      fold(itemKey(item), event.key === '-');
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(items.length - 1);
    else if (item?.kind === 'line' && event.key === 'Enter') openPanel();
    else if (item?.kind === 'line' && event.key === 'Delete') dispatch({ kind: 'disconnect', key: item.key });
    else if (item?.kind === 'line' && event.key === 'a')
      openAdd({ place: { kind: 'line', key: item.key }, at: null, opener: event.target as HTMLElement });
    else {
      keys(event);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const nameOf = (id: string) =>
    findNode(flow, id)?.label || (types.get(findNode(flow, id)?.type ?? '')?.label ?? id);
  const total = nodesOf(flow).length;
  return (
    <div className={styles['outline']} data-region="outline">
      {parents.size > 0 && all.length > LONG && (
        <p className={styles['folds']}>
          <Button isSmall look="quiet" onClick={() => setFolded(parents)}>
            {t.foldAll}
          </Button>
          <Button isSmall look="quiet" onClick={() => setFolded(NOTHING)}>
            {t.unfoldAll}
          </Button>
          {items.length < all.length && <span className="dim s">{t.nHidden(all.length - items.length)}</span>}
        </p>
      )}
      <ul ref={list} role="tree" aria-label={t.outlineOfTheFlow} tabIndex={-1} onKeyDown={onKeyDown}>
        {items.map((item, i) => {
          const isChosen = i === found;
          const common = {
            role: 'treeitem',
            'aria-level': item.depth + 1,
            'aria-selected': isChosen,
            tabIndex: i === index ? 0 : -1,
            style: { paddingInlineStart: 8 + item.depth * 24 },
            onClick: () => choose(item),
            onDoubleClick: openPanel,
            ...(parents.has(itemKey(item)) ? { 'aria-expanded': !folded.has(itemKey(item)) } : {}),
          };
          const twist = parents.has(itemKey(item)) && (
            <Twist
              isFolded={folded.has(itemKey(item))}
              onFold={(isFolded) => fold(itemKey(item), isFolded)}
            />
          );
          if (item.kind === 'node') {
            const node = findNode(flow, item.id);
            if (node === undefined) return null;
            const problems = problemsOf.get(item.id) ?? [];
            const [first] = problems;
            const says = t.stepOf2(
              item.number,
              total,
              problems.length > 0 ? `, ${t.nProblems(problems.length)}` : '',
            );
            return (
              <li
                key={itemKey(item)}
                {...common}
                data-id={item.id}
                data-colour={lookOfType(node.type).colour}
              >
                {twist}
                <Icon name={lookOfType(node.type).icon} />
                <span className="m cut" dir="auto">
                  {nameOf(item.id)}
                </span>
                <span className="dim s cut">{captionOf(node, types)}</span>
                <span className="sr">{says}</span>
                {order.has(item.id) && <span className={styles['order']}>{order.get(item.id)}</span>}
                {first !== undefined && (
                  <span className={`st s ${first.severity === 'error' ? 'failed' : 'person'}`}>
                    <Icon name="warn" small />
                    <span className="cut">{sayProblem(first.code) || first.message}</span>
                  </span>
                )}
                {first?.fix !== undefined && (
                  <button
                    type="button"
                    tabIndex={-1}
                    className="btn small"
                    onClick={() =>
                      first.fix !== undefined &&
                      dispatch({ kind: 'applyFix', label: sayFix(first.fix), patch: first.fix.patch })
                    }
                  >
                    {sayFix(first.fix)}
                  </button>
                )}
              </li>
            );
          }
          if (item.kind === 'line') {
            const line = findLine(flow, item.key);
            const says = line === undefined ? '' : sayLine(flow, line, types) || t.then;
            return (
              <li key={itemKey(item)} {...common} className={styles['line']}>
                {twist}
                <span className="sr">{t.line2}</span>
                <span className="cut">{says}</span>
                <span className="sr">{t.to2(nameOf(line?.to ?? ''))}</span>
              </li>
            );
          }
          return (
            <li key={itemKey(item)} {...common} className={styles['jump']}>
              <Icon name="go" small />
              <span className="cut">{t.goesOn(nameOf(item.to))}</span>
            </li>
          );
        })}
      </ul>
      <p className={`dim s ${styles['keys'] ?? ''}`}>
        {t.addsAStepBehind(<kbd>A</kbd>, <kbd>{sayKey('Enter')}</kbd>, <kbd>?</kbd>)}
      </p>
    </div>
  );
}
