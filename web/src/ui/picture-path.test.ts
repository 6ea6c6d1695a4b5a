import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { PictureEdge, PictureNode } from '../api/pictures';
import { pathOf } from './picture-path';

const TO: PictureNode = {
  id: 'b',
  title: '',
  caption: '',
  kind: 'task',
  type: '',
  x: 0,
  y: 100,
  width: 100,
  height: 40,
  zone: null,
  isZone: false,
};
const edge = (points: number[][]): PictureEdge => ({
  id: 'e',
  from: 'a',
  to: 'b',
  label: '',
  kind: 'normal',
  points,
  labelAt: null,
});

test.each([
  [
    'down',
    [
      [50, 0],
      [50, 98],
    ],
    'M50 0L50 98',
  ],
  [
    'a bend',
    [
      [150, 0],
      [50, 98],
    ],
    'M150 0C150 49 50 49 50 98',
  ],
  [
    'straight between places',
    [
      [300, 0],
      [100, 110],
    ],
    'M300 0L110 110',
  ],
  [
    'round a corner',
    [
      [200, 20],
      [300, 20],
      [300, 80],
    ],
    'M200 20L292 20Q300 20 300 28L300 80',
  ],
  [
    'to the side',
    [
      [300, 300],
      [200, 300],
      [200, 120],
      [102, 120],
    ],
    'M300 300L208 300Q200 300 200 292L200 128Q200 120 192 120L112 120',
  ],
  ['nothing', [], ''],
])('%s', (_, points, path) => expect(pathOf(edge(points), TO)).toBe(path));

test('has no place that is no number', () => {
  const place = fc.double({ min: -1e4, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(place, place), { minLength: 2 }), (points) => {
      expect(pathOf(edge(points), TO)).not.toMatch(/NaN|undefined|Infinity/);
    }),
  );
});
