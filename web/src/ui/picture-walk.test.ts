import { expect, test } from 'vitest';

import type { PictureNode } from '../api/pictures';
import { nearestNode } from './picture-walk';

const node = (id: string, x: number, y: number): PictureNode => ({
  id,
  title: id,
  caption: '',
  kind: 'task',
  type: '',
  x,
  y,
  width: 100,
  height: 40,
  zone: null,
  isZone: false,
});
const [top, left, right, low] = [
  node('top', 100, 0),
  node('left', 0, 100),
  node('right', 200, 100),
  node('low', 100, 200),
];
const ALL = [top, left, right, low];

test.each([
  [top, 'ArrowDown', 'low'],
  [left, 'ArrowRight', 'right'],
  [right, 'ArrowLeft', 'left'],
  [low, 'ArrowUp', 'top'],
  [left, 'ArrowUp', 'top'],
  [top, 'ArrowUp', undefined],
  [top, 'a', undefined],
])('from %o', (from, key, id) => expect(nearestNode(ALL, from, key)?.id).toBe(id));
