import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Visit } from '../../api/instances';
import { scaleByClock, scaleByWork, workMs } from './timeline-scale';

const NOW = Date.UTC(2026, 4, 12, 12);
const visit = (startMs: number, tookMs: number | null, waitedMs?: number): Visit => ({
  number: 1,
  nodeId: 'a',
  title: 'A',
  kind: 'task',
  type: '',
  startedAt: new Date(NOW + startMs).toISOString(),
  status: tookMs === null ? 'running' : 'done',
  tries: [],
  ...(tookMs === null ? {} : { endedAt: new Date(NOW + startMs + tookMs).toISOString() }),
  ...(waitedMs === undefined ? {} : { waitedMs }),
});

describe('scaleByClock', () => {
  test('an open visit reaches to now', () => {
    const scale = scaleByClock([visit(-1000, 500), visit(-500, null)], NOW, false);
    const [first, second] = scale.bars;
    expect(first?.left).toBe(0);
    expect((second?.left ?? 0) + (second?.width ?? 0)).toBeCloseTo(scale.now ?? -1);
  });

  test('a run that is over has no now', () => {
    expect(scaleByClock([visit(-1000, 500)], NOW, true).now).toBeNull();
  });
});

test('work leaves out what was waited', () => {
  expect(workMs(visit(-1000, 1000, 900), NOW)).toBe(100);
  const { bars } = scaleByWork([visit(-1000, 1000, 900), visit(0, 100)], NOW);
  expect(bars[1]?.left).toBeCloseTo(bars[0]?.width ?? -1);
});

test('bars and ticks stay on the line', () => {
  const some = fc.array(
    fc.record({
      start: fc.integer({ min: -1e10, max: 0 }),
      took: fc.option(fc.integer({ min: 0, max: 1e9 })),
    }),
  );
  fc.assert(
    fc.property(some, fc.boolean(), (visits, isOver) => {
      const list = visits.map(({ start, took }) => visit(start, took));
      for (const { bars, ticks } of [scaleByClock(list, NOW, isOver), scaleByWork(list, NOW)]) {
        for (const bar of bars) {
          expect(bar.left).toBeGreaterThanOrEqual(0);
          expect(bar.left + bar.width).toBeLessThanOrEqual(1.000001);
        }
        expect(ticks.length).toBeLessThanOrEqual(6);
        for (const tick of ticks) expect(tick.at).toBeLessThanOrEqual(1);
      }
    }),
  );
});
