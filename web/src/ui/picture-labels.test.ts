import { expect, test } from 'vitest';

import type { PictureEdge, PictureNode } from '../api/pictures';
import { placeLabels } from './picture-labels';

const edge = (id: string, label: string, labelAt: [number, number] | null): PictureEdge => ({
  id,
  from: 'a',
  to: 'b',
  label,
  kind: 'normal',
  points: [
    [0, 0],
    [0, 100],
  ],
  labelAt,
});

const node = (x: number, y: number): PictureNode => ({
  id: `n${x} ${y}`,
  title: 'A',
  caption: '',
  kind: 'task',
  type: 'task',
  x,
  y,
  width: 200,
  height: 40,
  zone: null,
  isZone: false,
});

const LONG = 'the amount of the invoice is high';

test('labels with room stand where the engine puts them', () => {
  const labels = placeLabels([edge('one', 'yes', [0, 50]), edge('two', 'no', [200, 50])], [], 10);
  expect([...labels.values()].map(({ x, y }) => [x, y])).toEqual([
    [0, 50],
    [200, 50],
  ]);
  expect(placeLabels([edge('one', '', [0, 0]), edge('two', 'yes', null)], [], 10).size).toBe(0);
});

test('two long labels side by side do not run into each other', () => {
  const labels = placeLabels([edge('one', LONG, [0, 50]), edge('two', LONG, [120, 50])], [], 10);
  const [one, two] = [labels.get('one'), labels.get('two')];
  expect(one?.lines).toEqual([LONG]);
  expect(two?.lines).toEqual([LONG]);
  expect(Math.abs((one?.y ?? 0) - (two?.y ?? 0))).toBeGreaterThanOrEqual(one?.height ?? Infinity);
});

test('where boxes leave no room the label is cut', () => {
  const nodes = [node(0, 0), node(0, 68)];
  const edges = [edge('one', LONG, [0, 54]), edge('two', LONG, [120, 54])];
  const two = placeLabels(edges, nodes, 10).get('two');
  expect(two?.y).toBe(54);
  expect(two?.lines[0]).toMatch(/…$/);
});
