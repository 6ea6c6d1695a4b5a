/* pages/builder/use-canvas-keys.ts — the keys of canvas and outline. One table; the help that `?` shows is made from it. */
import type { KeyboardEvent } from 'react';

import { isChosen } from '../../flow/commands/lines';
import { copyNodes } from '../../flow/commands/paste';
import { findNode, isEndType, linesFrom, nodesOf, roleOf } from '../../flow/flow';
import { isList } from '../../flow/json';
import { placesOf, snap } from '../../flow/layout';
import { walk, type Direction } from '../../flow/walk';
import { announce } from '../../ui/announce';
import type { KeyBinding } from '../../ui/keys';
import { t } from '../../texts/builder';
import { type Builder, useBuilder } from './context';

interface CanvasKey {
  readonly key: string;
  readonly says: string;
  readonly shown?: string;
  readonly isCtrl?: boolean;
  readonly isAlt?: boolean;
  readonly isShift?: boolean;
  readonly run: (builder: Builder, id: string, focus: (id: string) => void) => void;
}

const go =
  (direction: Direction): CanvasKey['run'] =>
  ({ flow, select }, id, focus) => {
    const to = walk(flow, id, direction);
    if (to === null) return;
    select({ kind: 'nodes', ids: [to] });
    focus(to);
  };

const move =
  (dx: number, dy: number): CanvasKey['run'] =>
  ({ flow, dispatch }, id, focus) => {
    const rect = placesOf(flow).get(id);
    if (rect === undefined) return;
    dispatch(
      { kind: 'moveNodes', moves: [{ id, x: snap(rect.x + dx), y: snap(rect.y + dy) }] },
      `move:${id}`,
    );
    focus(id);
  };

const MOVE = 16;

export const CANVAS_KEYS: readonly CanvasKey[] = [
  { key: 'ArrowRight', says: t.nextStep, shown: '→', run: go('next') },
  { key: 'ArrowLeft', says: t.stepBefore, shown: '←', run: go('before') },
  {
    key: 'ArrowDown',
    says: t.nextWayOrTheNext,
    shown: '↓',
    run: (builder, id, focus) =>
      go(walk(builder.flow, id, 'down') === null ? 'next' : 'down')(builder, id, focus),
  },
  {
    key: 'ArrowUp',
    says: t.wayBeforeOrTheStep,
    shown: '↑',
    run: (builder, id, focus) =>
      go(walk(builder.flow, id, 'up') === null ? 'before' : 'up')(builder, id, focus),
  },
  {
    key: 'Enter',
    says: t.openTheStep,
    run: ({ selection, select, openPanel }, id) => {
      if (selection.kind !== 'nodes' || !selection.ids.includes(id)) select({ kind: 'nodes', ids: [id] });
      openPanel();
    },
  },
  {
    key: 'a',
    says: t.addAStepBehind,
    run: ({ flow, openAdd }, id) => {
      const element = document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
      const rect = element?.getBoundingClientRect();
      const place = isEndType(findNode(flow, id)?.type ?? '')
        ? ({ kind: 'loose', at: null } as const)
        : ({ kind: 'after', node: id } as const);
      openAdd({
        place,
        at: rect === undefined ? null : { x: rect.left + rect.width / 2, y: rect.bottom + 8 },
        opener: element,
      });
    },
  },
  {
    key: 'i',
    says: t.addAStepInside3,
    run: ({ flow, openAdd }, id) => {
      const loop = roleOf(findNode(flow, id)?.type ?? '') === 'loop' ? id : findNode(flow, id)?.parent;
      if (loop !== null && loop !== undefined)
        openAdd({ place: { kind: 'inside', loop }, at: null, opener: document.activeElement as HTMLElement });
      else announce(t.thisStepIsInNo);
    },
  },
  {
    key: 'l',
    says: t.theLinesOfThisStep,
    run: ({ flow, select, openPanel }, id) => {
      const lines = linesFrom(flow, id);
      const line =
        lines.find((each) => isChosen(flow, each) && !each.isDefault && each.condition === undefined) ??
        lines[0];
      if (line === undefined) {
        announce(t.noLineLeavesThisStep);
        return;
      }
      select({ kind: 'line', key: line.key });
      openPanel();
    },
  },
  {
    key: 'c',
    says: t.connectThisStepToAnother,
    run: ({ openPanel }) => {
      openPanel();
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-field="then"] select')?.focus());
    },
  },
  {
    key: 'Delete',
    says: t.deleteIt,
    run: ({ store, selection, dispatch }, id, focus) => {
      if (selection.kind === 'line') {
        dispatch({ kind: 'disconnect', key: selection.key });
        return;
      }
      const ids = selection.kind === 'nodes' ? selection.ids : [id];
      dispatch({ kind: 'deleteNodes', ids });
      const now = store.get().history.now.selection;
      if (now.kind === 'nodes' && now.ids[0] !== undefined) focus(now.ids[0]);
    },
  },
  {
    key: 'r',
    says: t.repeatThisStepForEach,
    run: ({ selection, dispatch }, id) => {
      dispatch({
        kind: 'wrapInLoop',
        ids: selection.kind === 'nodes' ? selection.ids : [id],
        label: t.forEach,
      });
    },
  },
  { key: 'ArrowRight', isAlt: true, shown: 'Alt →', says: t.moveToTheRight, run: move(MOVE, 0) },
  { key: 'ArrowLeft', isAlt: true, shown: 'Alt ←', says: t.moveToTheLeft, run: move(-MOVE, 0) },
  { key: 'ArrowDown', isAlt: true, shown: 'Alt ↓', says: t.moveDown, run: move(0, MOVE) },
  { key: 'ArrowUp', isAlt: true, shown: 'Alt ↑', says: t.moveUp, run: move(0, -MOVE) },
  {
    key: 'c',
    isCtrl: true,
    shown: 'Ctrl C',
    says: t.copyAlsoToAnotherWindow,
    run: ({ flow, selection }, id) => {
      const part = copyNodes(flow, selection.kind === 'nodes' ? selection.ids : [id]);
      const list = part['nodes'] ?? part['steps'];
      const count = isList(list) ? list.length : 0;
      if (count === 0) {
        announce(t.nothingToCopy);
        return;
      }
      void navigator.clipboard.writeText(JSON.stringify(part)).then(
        () => announce(count === 1 ? t.copiedAStep : t.copiedSteps(count)),
        () => announce(t.theBrowserDoesNotLet),
      );
    },
  },
];

export const canvasBindings: readonly KeyBinding[] = [
  ...CANVAS_KEYS.map(({ key, says, shown }) => ({ key, says, ...(shown === undefined ? {} : { shown }) })),
];

/* Caps Lock changes no key. */
const isKey = (key: string, pressed: string) =>
  key === pressed || (key.length === 1 && key === pressed.toLowerCase());

/** The handler for keys in canvas and outline. */
export function useCanvasKeys(focus: (id: string) => void): (event: KeyboardEvent) => void {
  const builder = useBuilder();
  return (event) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    const found = CANVAS_KEYS.find(
      (each) =>
        isKey(each.key, event.key) &&
        (each.isCtrl ?? false) === isCtrl &&
        (each.isAlt ?? false) === event.altKey,
    );
    if (found === undefined) return;
    const { selection, flow } = builder;
    const own =
      event.target instanceof Element
        ? event.target.closest<HTMLElement>('[data-id]')?.dataset['id']
        : undefined;
    const id = own ?? (selection.kind === 'nodes' ? selection.ids[0] : undefined) ?? nodesOf(flow)[0]?.id;
    if (id === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    found.run(builder, id, focus);
  };
}
