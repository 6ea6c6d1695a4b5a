import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { type Flow, linesOf, type Point } from './flow';
import { routesOf } from './route';
import { atOnce } from './pieces';
import { type Joint, type Meaning, waysOf } from './ways';

const ROOT = join(__dirname, '../../..');

interface Track {
  readonly meaning: Meaning;
  readonly a: Point;
  readonly b: Point;
}

const between = (a: number, b: number, c: number, d: number) =>
  Math.min(Math.max(a, b), Math.max(c, d)) - Math.max(Math.min(a, b), Math.min(c, d));

/** So far two stretches run along each other. */
function shared(one: Track, two: Track): number {
  const isDown = one.a.x === one.b.x && two.a.x === two.b.x && one.a.x === two.a.x;
  const isAcross = one.a.y === one.b.y && two.a.y === two.b.y && one.a.y === two.a.y;
  if (isDown) return between(one.a.y, one.b.y, two.a.y, two.b.y);
  return isAcross ? between(one.a.x, one.b.x, two.a.x, two.b.x) : 0;
}

const meaningOf = (port: string): Meaning =>
  port === 'timeout' ? 'timer' : port === 'error' ? 'error' : 'usual';

/** The stretches of lines with different meanings that run along each other. */
function sharedTracks(flow: Flow): readonly string[] {
  const routes = routesOf(flow);
  const tracks = linesOf(flow).flatMap(({ key, port }): (Track & { readonly key: string })[] => {
    const points = routes.get(key)?.points ?? [];
    return points.slice(1).map((b, i) => ({ key, meaning: meaningOf(port), a: points[i] ?? b, b }));
  });
  return tracks.flatMap((one, i) =>
    tracks
      .slice(i + 1)
      .filter((two) => two.meaning !== one.meaning && shared(one, two) > 1)
      .map((two) => `${one.key} and ${two.key}`),
  );
}

const folders = ['examples/templates', 'examples/demo', 'examples/graph'];
const files = folders.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.json') && !name.includes('scenario'))
    .map((name) => join(ROOT, folder, name)),
);

test.each(files)('in %s no deadline and no error runs along a line of another meaning', (file) => {
  const flow = JSON.parse(readFileSync(file, 'utf8')) as Flow;
  expect(sharedTracks(flow)).toEqual([]);
});

const box = (x: number, y: number) => ({ x, y, width: 216, height: 48 });
const joint = (from: string, to: string, meaning: Meaning = 'usual'): Joint => ({
  key: `${from}${to}${meaning}`,
  from,
  to,
  meaning,
  isBody: false,
});

test('a usual line keeps the middle, the others leave and come beside it', () => {
  const places = new Map([
    ['a', box(0, 0)],
    ['b', box(0, 200)],
    ['c', box(400, 400)],
  ]);
  const lines = [joint('a', 'b'), joint('a', 'c', 'timer'), joint('b', 'c')];
  const ways = atOnce(waysOf(lines, places, new Map()));
  const ends = lines.map(({ key }) => {
    const points = ways.get(key)?.points ?? [];
    return [points[0]?.x, points.at(-1)?.x];
  });
  expect(ends).toEqual([
    [108, 108],
    [132, 532],
    [108, 508],
  ]);
});

test('a deadline that leads to the step below, whose usual way is elsewhere, is straight', () => {
  const places = new Map([
    ['a', box(0, 0)],
    ['b', box(0, 200)],
    ['c', box(400, 200)],
  ]);
  const lines = [joint('a', 'c'), joint('a', 'b', 'timer')];
  const way = atOnce(waysOf(lines, places, new Map())).get('abtimer');
  expect(way?.points).toEqual([
    { x: 132, y: 48 },
    { x: 132, y: 200 },
  ]);
});
