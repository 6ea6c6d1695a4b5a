import { describe, expect, test } from 'vitest';

import type { Flow } from '../../flow/flow';
import { placesOf } from '../../flow/layout';
import { atOnce } from '../../flow/pieces';
import { linesInPieces } from './canvas-data';
import type { StepNode } from './canvas-node';
import { compareLines, tilesOf } from './large-lines';

const FLOW: Flow = {
  nodes: Array.from({ length: 6 }, (_, i) => ({
    id: `n${i}`,
    type: i === 0 ? 'trigger_manual' : 'decision',
    position: { x: 0, y: i * 400 },
  })),
  edges: Array.from({ length: 5 }, (_, i) => ({ id: `e${i}`, from: `n${i}`, to: `n${i + 1}` })),
};

const stepsOf = (flow: Flow, by: ReadonlyMap<string, number> = new Map()): readonly StepNode[] =>
  [...placesOf(flow)].map(([id, { x, y, width, height }]): StepNode => ({
    id,
    type: 'step',
    position: { x: x + (by.get(id) ?? 0), y },
    width,
    height,
    data: { type: 'decision', label: '', caption: '', problem: '', isError: false, order: 0 },
  }));
const wrongOf = (text: string) => JSON.parse(text) as unknown;
const lines = atOnce(linesInPieces(FLOW, new Map()));

describe('lines of a large flow', () => {
  test('all are right where they were laid', () => {
    expect(lines.length).toBe(5);
    expect(compareLines(FLOW, lines, stepsOf(FLOW))).toEqual({ wrong: '[]', path: '' });
  });

  test('of a step that is dragged only its own lines are drawn anew, and they follow it', () => {
    const at = (x: number) => compareLines(FLOW, lines, stepsOf(FLOW, new Map([['n2', x]])));
    expect(wrongOf(at(80).wrong)).toEqual(['e1', 'e2']);
    expect(at(80).wrong).toBe(at(96).wrong);
    expect(at(80).path).not.toBe(at(96).path);
  });

  test('lines that have come are drawn, lines that have gone are not', () => {
    const edges = FLOW['edges'] as readonly { readonly id: string }[];
    const more: Flow = { ...FLOW, edges: [...edges.slice(1), { id: 'new', from: 'n0', to: 'n5' }] };
    const { wrong, path } = compareLines(more, lines, stepsOf(more));
    expect(wrongOf(wrong)).toEqual(['e0']);
    expect(path).not.toBe('');
    const none = compareLines({ ...FLOW, edges: [] }, lines, stepsOf(FLOW));
    expect(wrongOf(none.wrong)).toEqual(lines.map(({ id }) => id));
    expect(none.path).toBe('');
  });

  test('a part of the canvas stays when its lines are drawn anew, and parts keep their order', () => {
    const all = tilesOf(lines, new Set());
    expect([...all.values()].flat().length).toBe(lines.length);
    const without = tilesOf([...lines].reverse(), new Set(['e2']));
    expect([...without.keys()]).toEqual([...all.keys()]);
    expect([...without.values()].flat().map(({ id }) => id)).not.toContain('e2');
  });
});
