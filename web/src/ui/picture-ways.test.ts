import { expect, test } from 'vitest';

import type { Picture, PictureEdge } from '../api/pictures';
import { withWays } from './picture-ways';

const node = (id: string, x: number, y: number) => ({
  id,
  title: id,
  caption: '',
  kind: 'task' as const,
  type: 'action_http',
  x,
  y,
  width: 216,
  height: 48,
  zone: null,
  isZone: false,
});
const edge = (id: string, to: string, kind: PictureEdge['kind'], label: string): PictureEdge => ({
  id,
  from: 'a',
  to,
  label,
  kind,
  points: [
    [108, 48],
    [300, 200],
  ],
  labelAt: [204, 124],
});
const PICTURE: Picture = {
  definitionId: 'd',
  dialect: 'graph',
  left: -28,
  top: -28,
  width: 500,
  height: 300,
  start: 'a',
  isPlaced: true,
  nodes: [node('a', 0, 0), node('b', 240, 200)],
  edges: [edge('yes', 'b', 'normal', 'yes'), edge('late', 'b', 'timer', 'after 2 days')],
};

test('lines between placed steps go down, across and down, and none lies on another', () => {
  const { edges } = withWays(PICTURE);
  for (const { points } of edges) {
    expect(points.length).toBeGreaterThan(2);
    points.slice(1).forEach(([x, y], i) => {
      const [left, top] = points[i] ?? [];
      expect(x === left || y === top).toBe(true);
    });
  }
  expect(edges[0]?.points).not.toEqual(edges[1]?.points);
  expect(edges[0]?.labelAt).not.toEqual(edges[1]?.labelAt);
  expect(withWays(PICTURE)).toBe(withWays(PICTURE));
});

test('a line that goes round stays inside of the picture', () => {
  const back = { ...edge('back', 'a', 'back', ''), from: 'b', labelAt: null };
  const placed = withWays({ ...PICTURE, width: 480, edges: [back] });
  const most = Math.max(...placed.edges.flatMap(({ points }) => points.map(([x = 0]) => x)));
  expect(most).toBeGreaterThan(456);
  expect(placed.left + placed.width).toBeGreaterThan(most);
});

test('a picture that the engine has laid out stays as it is', () => {
  const laidOut = { ...PICTURE, isPlaced: false };
  expect(withWays(laidOut)).toBe(laidOut);
});

test('a line into a zone begins below the head of the zone and has its name', () => {
  const zone = { ...node('a', 0, 0), width: 312, height: 300, isZone: true };
  const inner = { ...node('b', 48, 112), zone: 'a' };
  const [inward] = withWays({
    ...PICTURE,
    nodes: [zone, inner],
    edges: [edge('in', 'b', 'inward', 'sales')],
  }).edges;
  expect(inward?.points).toEqual([
    [156, 44],
    [156, 112],
  ]);
  expect(inward?.labelAt).toEqual([156, 78]);
});
