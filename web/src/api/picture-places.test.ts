import { expect, test } from 'vitest';

import { placesOf } from '../flow/layout';
import { placedAsOnCanvas } from './picture-places';
import type { Picture, PictureEdge, PictureNode } from './pictures';

const node = (id: string, kind: PictureNode['kind'] = 'task'): PictureNode => ({
  id,
  title: id,
  caption: '',
  kind,
  type: '',
  x: 3,
  y: 3,
  width: 130,
  height: 46,
  zone: null,
  isZone: false,
});
const edge = (from: string, to: string, kind: PictureEdge['kind'] = 'normal', label = ''): PictureEdge => ({
  id: `${from}→${to}`,
  from,
  to,
  label,
  kind,
  points: [],
  labelAt: label === '' ? null : [0, 0],
});
const pictureOf = (nodes: PictureNode[], edges: PictureEdge[]): Picture => ({
  definitionId: 'd',
  dialect: 'graph',
  left: 0,
  top: 0,
  width: 1,
  height: 1,
  start: 's',
  isPlaced: false,
  nodes,
  edges,
});
const find = (picture: Picture, id: string) => picture.nodes.find((each) => each.id === id);

const FLOW = {
  dialect: 'graph/1',
  nodes: [
    { id: 's', type: 'trigger_manual' },
    { id: 'pay', type: 'action_http' },
    { id: 'e', type: 'end' },
  ],
  edges: [
    { from: 's', to: 'pay' },
    { from: 'pay', to: 'e' },
  ],
};

test('steps stand as on the canvas, and what undoes a step beside it', async () => {
  const drawn = pictureOf(
    [node('s', 'start'), node('pay'), node('e', 'end'), node('pay~comp')],
    [edge('s', 'pay'), edge('pay', 'e'), edge('pay', 'pay~comp', 'error', 'undo')],
  );
  const placed = await placedAsOnCanvas(drawn, JSON.stringify(FLOW));
  expect(placed.isPlaced).toBe(true);
  for (const [id, rect] of placesOf(FLOW)) expect(find(placed, id)).toMatchObject(rect);
  const [pay, undo] = [find(placed, 'pay'), find(placed, 'pay~comp')];
  expect(undo?.y).toBe(pay?.y);
  expect(undo?.x).toBeGreaterThan((pay?.x ?? 0) + (pay?.width ?? 0));
  for (const { x, y, width, height } of placed.nodes) {
    expect([x > placed.left, y > placed.top]).toEqual([true, true]);
    expect([x + width < placed.left + placed.width, y + height < placed.top + placed.height]).toEqual([
      true,
      true,
    ]);
  }
});

const states = {
  id: 'w',
  startsAt: 'Both',
  states: [
    {
      name: 'Both',
      type: 'PARALLEL',
      branches: [
        { name: 'sales', startsAt: 'Sell', states: [{ name: 'Sell', type: 'OPERATION', end: true }] },
      ],
      end: true,
    },
  ],
};

test('branches of states are in a zone, and a line with their name leads in; an end that states share stands below', async () => {
  const drawn = pictureOf(
    [node('Both', 'fork'), node('Both/sales/Sell'), node('end', 'end')],
    [edge('Both', 'Both/sales/Sell', 'normal', 'sales'), edge('Both', 'end')],
  );
  const placed = await placedAsOnCanvas({ ...drawn, dialect: 'serverless' }, JSON.stringify(states));
  const [both, sell, end] = [find(placed, 'Both'), find(placed, 'Both/sales/Sell'), find(placed, 'end')];
  expect(both?.isZone).toBe(true);
  expect(sell?.zone).toBe('Both');
  expect(end?.y).toBeGreaterThan((both?.y ?? 0) + (both?.height ?? 0));
  expect(placed.edges[0]).toMatchObject({ kind: 'inward', label: 'sales' });
});

test.each([
  ['of another family', '{"dialect":"wbskt/1.2","nodes":[]}'],
  ['that is no JSON', 'id: w\nstates: []\n'],
  ['too broken for the canvas', '{"dialect":"graph/1","nodes":[1]}'],
])('the picture of a document %s stays as the engine drew it', async (_, text) => {
  const drawn = pictureOf([node('s')], []);
  expect(await placedAsOnCanvas(drawn, text)).toBe(drawn);
});
