import fc from 'fast-check';
import { expect, test } from 'vitest';

import { makeRoom, spotOf } from './line-popover';

test('the popover stays on the canvas and never on the name of its line', () => {
  fc.assert(
    fc.property(
      fc.record({ x: fc.integer({ min: -200, max: 1600 }), y: fc.integer({ min: -200, max: 1200 }) }),
      fc.integer({ min: 4, max: 104 }),
      fc.record({ width: fc.integer({ min: 440, max: 1400 }), height: fc.integer({ min: 300, max: 1000 }) }),
      fc.integer({ min: 120, max: 280 }),
      (at, half, stage, height) => {
        const { left, top } = spotOf(at, half, stage, height);
        const isInside = at.x - half > 0 && at.x + half < stage.width && at.y > 0 && at.y < stage.height;
        if (!isInside) return; // A line that is out of sight: the popover waits at the edge.
        expect(left).toBeGreaterThanOrEqual(8);
        expect(left + 408).toBeLessThanOrEqual(stage.width);
        expect(top).toBeGreaterThanOrEqual(8);
        expect(top + height).toBeLessThanOrEqual(stage.height);
      },
    ),
  );
});

test('it is beside the line where there is room, with a thread to it', () => {
  const stage = { width: 1000, height: 800 };
  const right = spotOf({ x: 200, y: 300 }, 50, stage, 200);
  expect(right.left).toBe(290);
  expect(right.thread).toEqual({ left: -32, top: 20, width: 32 });
  const left = spotOf({ x: 900, y: 300 }, 50, stage, 200);
  expect(left.left + 408).toBeLessThanOrEqual(850);
  expect(left.thread?.left).toBe(408);
  const neither = spotOf({ x: 220, y: 300 }, 50, { width: 440, height: 800 }, 200);
  expect(neither).toEqual({ left: 16, top: 324, thread: null });
});

test('a canvas without room beside the line is moved until there is, and not further', () => {
  expect(makeRoom(200, 50, 1000)).toBe(0);
  const by = makeRoom(416, 60, 834);
  expect(by).toBeLessThan(0);
  expect(spotOf({ x: 416 + by, y: 300 }, 60, { width: 834, height: 800 }, 200).thread).not.toBeNull();
  expect(makeRoom(200, 104, 440)).toBe(0); // The name would leave the canvas.
});
