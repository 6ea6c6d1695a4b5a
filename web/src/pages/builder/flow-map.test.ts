/* pages/builder/flow-map.test.ts — how a flow lies in its map, and where a press in it leads. */
import { expect, test } from 'vitest';

import { mapScale, within } from './flow-map';

test('all of the flow is in the map, in its middle', () => {
  const { scale, left, top } = mapScale({ x: 100, y: -50, width: 400, height: 30_000 });
  expect([(-50 * scale + top).toFixed(3), (29_950 * scale + top).toFixed(3)]).toEqual(['0.000', '152.000']);
  expect(300 * scale + left).toBeCloseTo(104);
});

test('a press beside a thin flow shows the flow', () => {
  expect(within(9_000, 800, 0, 216)).toBe(108);
  expect(within(-500, 800, 0, 30_000)).toBe(400);
  expect(within(15_000, 800, 0, 30_000)).toBe(15_000);
  expect(within(31_000, 800, 0, 30_000)).toBe(29_600);
});
