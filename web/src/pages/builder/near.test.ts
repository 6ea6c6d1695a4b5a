import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { createNear, nextNear } from './near';

const THINGS = new Map(Array.from({ length: 10 }, (_, i) => [`t${i}`, { x: i * 100, y: 0 }]));
const AREA = { x: 150, y: -50, width: 500, height: 100 };

describe('what of a large flow is shown in full', () => {
  test('a few come with each frame, those in the middle first, until all in sight are there', () => {
    let now: ReadonlySet<string> = new Set();
    const first = nextNear(THINGS, now, AREA, 1);
    expect([...first]).toEqual(['t4']);
    let frames = 0;
    for (let next = first; next !== now; next = nextNear(THINGS, now, AREA, 2)) {
      expect(next.size - now.size).toBeLessThanOrEqual(2);
      now = next;
      frames++;
    }
    expect([...now].sort()).toEqual(['t2', 't3', 't4', 't5', 't6']);
    expect(frames).toBe(3);
  });

  test('those out of sight go when all that are in sight have come, and those that are no more', () => {
    const now = new Set(['t0', 't2', 't3', 't4', 't5', 'gone']);
    const more = nextNear(THINGS, now, AREA, 2);
    expect(more.has('t6')).toBe(true);
    expect(more.has('t0')).toBe(true);
    const less = nextNear(THINGS, more, AREA, 2);
    expect([...less].sort()).toEqual(['t2', 't3', 't4', 't5', 't6']);
    expect(nextNear(THINGS, less, AREA, 2)).toBe(less);
  });

  test('from far away nothing stays', () => {
    let now: ReadonlySet<string> = new Set(THINGS.keys());
    for (let i = 0; i < 5; i++) now = nextNear(THINGS, now, null, 2);
    expect(now.size).toBe(0);
    expect(nextNear(THINGS, now, null, 2)).toBe(now);
  });
});

describe('while the canvas moves', () => {
  const view = (x: number, zoom: number) => ({ x, y: 0, zoom, width: 500, height: 100 });
  let frames: (() => void)[] = [];
  const settle = () => {
    for (let i = 0; i < 100 && frames.length > 0; i++) frames.splice(0).forEach((act) => act());
  };
  beforeEach(() => {
    frames = [];
    vi.stubGlobal('requestAnimationFrame', (act: () => void) => frames.push(act));
  });
  afterEach(() => vi.unstubAllGlobals());

  test('what comes into sight is shown; while the size changes, only when that is over', () => {
    const near = createNear();
    near.setSteps(THINGS);
    near.look(view(0, 1), false);
    settle();
    expect([near.hasStep('t5'), near.hasStep('t7')]).toEqual([true, false]);
    near.look(view(-300, 1), true);
    settle();
    expect(near.hasStep('t7')).toBe(true);
    near.look(view(-300, 0.6), true);
    settle();
    expect(near.hasStep('t9')).toBe(false);
    near.look(view(-300, 0.6), false);
    settle();
    expect(near.hasStep('t9')).toBe(true);
  });
});
