import { expect, test } from 'vitest';

import type { Picture } from '../../api/pictures';
import { waysTo } from './node-about';

const NODE = {
  title: '',
  caption: '',
  kind: 'task',
  type: 't',
  x: 0,
  y: 0,
  width: 1,
  height: 1,
  zone: null,
  isZone: false,
} as const;
const PICTURE: Picture = {
  definitionId: 'd',
  dialect: 'graph',
  left: 0,
  top: 0,
  width: 1,
  height: 1,
  start: 'a',
  isPlaced: false,
  nodes: [
    { ...NODE, id: 'a', title: 'First' },
    { ...NODE, id: 'b', title: 'Second' },
    { ...NODE, id: 'c', title: 'Third' },
  ],
  edges: [
    { id: '1', from: 'a', to: 'b', label: '', kind: 'normal', points: [], labelAt: null },
    { id: '2', from: 'a', to: 'c', label: 'over 1,000\nand new', kind: 'normal', points: [], labelAt: null },
    { id: '3', from: 'b', to: 'c', label: '', kind: 'normal', points: [], labelAt: null },
  ],
};

test('the lines that lead to a step, and whether the run came that far', () => {
  const run = { nodes: { a: { title: 'First', visits: 1, state: 'done' as const } } };
  expect(waysTo(run, PICTURE, 'c')).toEqual([
    { id: 'a', title: 'First', label: 'over 1,000 and new', isVisited: true },
    { id: 'b', title: 'Second', label: '', isVisited: false },
  ]);
  expect(waysTo(run, PICTURE, 'a')).toEqual([]);
});
