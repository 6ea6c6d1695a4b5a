import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { anyFlow } from './any-flow';
import { createBoxes } from './boxes';
import { applyCommand } from './command';
import { findNode, type Flow, linesOf, nodesOf } from './flow';
import { placesOf, type Rect, tidyPlacesOf } from './layout';
import { type Marks, marksOf } from './marks';
import { atOnce } from './pieces';
import { routesInPieces, routesOf } from './route';

const names = (flow: Flow, name: (i: number) => string) =>
  new Map(linesOf(flow).map((line, i) => [line.key, name(i)]));

const labelBox = ({ label, width }: Marks): Rect => ({
  x: label.x - width / 2,
  y: label.y - 10,
  width,
  height: 20,
});
const plusBox = ({ plus }: Marks): Rect | null =>
  plus === null ? null : { x: plus.x - 12, y: plus.y - 12, width: 24, height: 24 };
const touch = (a: Rect, b: Rect) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const place = (id: string, type: string, x: number, y: number) => ({ id, type, position: { x, y } });

describe('marks of lines', () => {
  test('a plus covers no name and no step, whatever the flow', () => {
    fc.assert(
      fc.property(anyFlow(), fc.array(fc.string({ maxLength: 40 }), { maxLength: 4 }), (flow, words) => {
        const called = names(flow, (i) => words[i % Math.max(1, words.length)] ?? '');
        const marks = [...marksOf(flow, called)];
        expect(marks.length).toBe(routesOf(flow).size);
        const steps = [...placesOf(flow)].filter(([id]) => {
          const nodes = flow['nodes'] as readonly { readonly id: string; readonly type: string }[];
          return nodes.find((node) => node.id === id)?.type !== 'for_each';
        });
        for (const [, mark] of marks) {
          const plus = plusBox(mark);
          if (plus === null) continue;
          for (const [, rect] of steps) expect(touch(plus, rect)).toBe(false);
          for (const [key, other] of marks)
            if ((called.get(key) ?? '') !== '') {
              const { x, y, width, height } = labelBox(other);
              // A name without any place stands in the middle of its line, wherever that is.
              if (isPlaced(flow, key)) expect(touch(plus, { x, y, width, height })).toBe(false);
            }
        }
      }),
    );
  });

  test('in pieces, whoever asks meanwhile, the ways are the same as at once', () => {
    fc.assert(
      fc.property(anyFlow(), fc.boolean(), (flow, isAskedMeanwhile) => {
        const copy = { ...flow };
        const work = routesInPieces(flow);
        let pieces = 1;
        while (work.next().done !== true) {
          pieces++;
          if (isAskedMeanwhile) expect(routesOf(flow)).toEqual(routesOf(copy));
        }
        expect(pieces).toBeGreaterThan(1);
        expect(routesOf(flow)).toEqual(routesOf(copy));
        expect(routesOf(flow)).toBe(atOnce(routesInPieces(flow)));
      }),
    );
  });

  test.each([
    ['below each other', 0, 160],
    ['side by side', 400, 0],
    ['to the right and below', 400, 240],
    ['to the left and below', -400, 240],
  ])('lines between the same two steps, %s, are apart, and so are their names', (_, x, y) => {
    const flow: Flow = {
      nodes: [place('a', 'decision', 0, 0), place('b', 'action_http', x, y)],
      edges: [
        { id: 'one', from: 'a', to: 'b', condition: { left: 1, op: 'eq', right: 1 } },
        { id: 'two', from: 'a', to: 'b', default: true },
      ],
    };
    const [one, two] = ['one', 'two'].map((key) => routesOf(flow).get(key)?.points);
    expect(one).not.toEqual(two);
    const marks = marksOf(
      flow,
      names(flow, () => 'Amount over 1,000'),
    );
    const [first, second] = [marks.get('one'), marks.get('two')];
    if (first === undefined || second === undefined) throw new Error('a line has no marks');
    expect(touch(labelBox(first), labelBox(second))).toBe(false);
  });

  test.each(['later', 'a longer name of a line'])('“%s” on a short line has no plus on it', (name) => {
    const flow: Flow = {
      nodes: [place('a', 'human_task', 0, 0), place('b', 'delay', 280, 0)],
      edges: [{ id: 'there', from: 'a', to: 'b' }],
    };
    const marks = marksOf(
      flow,
      names(flow, () => name),
    ).get('there');
    if (marks === undefined) throw new Error('the line has no marks');
    const plus = plusBox(marks);
    if (plus !== null) expect(touch(plus, labelBox(marks))).toBe(false);
    expect(marks.label.x).toBeGreaterThan(216);
    expect(marks.label.x).toBeLessThan(280);
  });

  test('there and back side by side are two lines', () => {
    const flow: Flow = {
      nodes: [place('a', 'human_task', 0, 0), place('b', 'action_email', 400, 0)],
      edges: [
        { id: 'there', from: 'a', to: 'b', fromPort: 'timeout' },
        { id: 'back', from: 'b', to: 'a' },
      ],
    };
    const [there, back] = ['there', 'back'].map((key) => routesOf(flow).get(key)?.points[0]?.y);
    expect(there).not.toBe(back);
  });

  test('lines that leave a step to one side do not run along each other, and each name is on its own', () => {
    const flow: Flow = {
      nodes: [
        place('d', 'decision', 0, 0),
        place('x', 'end', 32, 200),
        place('y', 'end', 332, 200),
        place('z', 'end', 632, 200),
      ],
      edges: ['x', 'y', 'z'].map((to) => ({ id: to, from: 'd', to })),
    };
    const across = (key: string) => routesOf(flow).get(key)?.points[1]?.y ?? 0;
    expect(across('z')).toBeLessThan(across('y'));
    const boxes = [
      ...marksOf(
        flow,
        names(flow, (i) => `way ${i}`),
      ).values(),
    ].map(labelBox);
    boxes.forEach((box, i) => boxes.slice(i + 1).forEach((other) => expect(touch(box, other)).toBe(false)));
  });

  test('steps a thousand million pixels away are no reason to hang', () => {
    const far = 1e9;
    const flow: Flow = {
      nodes: [
        place('a', 'decision', -far, -far),
        place('b', 'action_http', far, far),
        place('c', 'end', 0, 0),
        { ...place('l', 'for_each', 0, 0) },
        { ...place('i', 'action_http', far, 0), parent: 'l' },
      ],
      edges: [
        { id: 'one', from: 'a', to: 'b' },
        { id: 'two', from: 'b', to: 'c' },
      ],
    };
    expect(
      marksOf(
        flow,
        names(flow, () => 'far'),
      ).size,
    ).toBe(2);
  });
});

/* Whether a name found a place of its own: its line has a stretch that is long enough. */
function isPlaced(flow: Flow, key: string): boolean {
  const points = routesOf(flow).get(key)?.points ?? [];
  return points.slice(1).some((point, i) => {
    const before = points[i] ?? point;
    const down = Math.abs(point.y - before.y);
    return down > Math.abs(point.x - before.x) ? down >= 28 : Math.abs(point.x - before.x) >= 80;
  });
}

test('boxes find what looking at all of them finds', () => {
  const box = () =>
    fc.record({
      x: fc.integer({ min: -2000, max: 2000 }),
      y: fc.integer({ min: -2000, max: 2000 }),
      width: fc.integer({ min: 1, max: 900 }),
      height: fc.oneof(fc.integer({ min: 1, max: 900 }), fc.constant(1e8)),
    });
  fc.assert(
    fc.property(fc.array(box(), { maxLength: 30 }), box(), (boxes, asked) => {
      const found = createBoxes(boxes);
      expect(found.count(asked)).toBe(boxes.filter((each) => touch(each, asked)).length);
      expect(found.hits(asked)).toBe(boxes.some((each) => touch(each, asked)));
      expect(found.hits(asked, boxes)).toBe(false);
    }),
  );
});

test('ways that join again stand side by side, and the first one goes straight down', () => {
  const chain = ['s', 'split', 'one', 'join', 'choose', 'far', 'end'];
  const flow: Flow = {
    nodes: [...chain, 'two', 'other', 'more'].map((id) => ({
      id,
      type: id === 's' ? 'trigger_manual' : id === 'end' ? 'end' : 'action_http',
    })),
    edges: [
      ...chain.slice(1).map((to, i) => ({ from: chain[i] ?? '', to })),
      { from: 'split', to: 'two' },
      { from: 'two', to: 'join' },
      { from: 'choose', to: 'other' },
      { from: 'other', to: 'end' },
      { from: 'choose', to: 'more' },
    ],
  };
  const tidy = tidyPlacesOf(flow);
  const centre = (id: string) => (tidy.get(id)?.x ?? 0) + (tidy.get(id)?.width ?? 0) / 2;
  expect(new Set(chain.map(centre)).size).toBe(1);
  const column = centre('other') - centre('s');
  expect(centre('two') - centre('s')).toBe(column);
  expect(centre('more') - centre('s')).toBe(2 * column);
});

test('tidying up leaves no step on another, whatever the flow', () => {
  fc.assert(
    fc.property(
      anyFlow(),
      fc.array(fc.tuple(fc.nat(400), fc.nat(400)), { maxLength: 12 }),
      (flow, places) => {
        const messy = nodesOf(flow).reduce(
          (made, { id }, i) =>
            applyCommand(
              made,
              {
                kind: 'moveNodes',
                moves: [{ id, x: places[i]?.[0] ?? 0, y: places[i]?.[1] ?? 0 }],
              },
              0,
            ),
          flow,
        );
        const moves = [...tidyPlacesOf(messy)].map(([id, { x, y }]) => ({ id, x, y }));
        const tidied = applyCommand(messy, { kind: 'moveNodes', moves, tidy: true }, 0);
        const rects = [...placesOf(tidied)].filter(([id]) => findNode(flow, id)?.type !== 'for_each');
        rects.forEach(([, rect], i) =>
          rects.slice(i + 1).forEach(([, other]) => expect(touch(rect, other)).toBe(false)),
        );
      },
    ),
  );
});
