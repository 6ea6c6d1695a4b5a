import { expect, test } from 'vitest';

import { qrOf, svgOf } from './qr';

const GOLDEN = [
  '#######..##.#.#....#..#######',
  '#.....#....##...#...#.#.....#',
  '#.###.#..#.##.##.#..#.#.###.#',
  '#.###.#...#..#..#.....#.###.#',
  '#.###.#..##......##...#.###.#',
  '#.....#.##.#...######.#.....#',
  '#######.#.#.#.#.#.#.#.#######',
  '.........##.##.#####.........',
  '#..#.##.#.#...#.#...##.#.....',
  '####....#....#.##...###..#..#',
  '#.#####.....####...#....####.',
  '#.#.#.....##.#..#.......#.##.',
  '#.##..#.#.#.#.##.#.#####.#.##',
  '..#.##..#..#.#####.###.......',
  '#.#...###..####..#...#..#####',
  '#......###.#...#.##.#....#.#.',
  '#.######..##.#...#.###.....#.',
  '.#..#...###.#####.....##.#..#',
  '#.#######.###.###.#...#....##',
  '....#....#.##.#..######.#..##',
  '#.#.#.######...#...######.#..',
  '........###...##.####...#.###',
  '#######....##...##..#.#.#..#.',
  '#.....#.#...#.##...##...###..',
  '#.###.#..###....##..#####..#.',
  '#.###.#.#...#..#.#.#..#####.#',
  '#.###.#..###.#.###.#...####.#',
  '#.....#..#..##..#####.#....#.',
  '#######.#.#..#.#..#.#...##.#.',
];

const drawn = (text: string) =>
  qrOf(text)?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join('')) ?? [];

/* A reader of another make has read this one. */
test('an address is the code that others read', () => {
  expect(drawn('https://a.example/forms/leave')).toEqual(GOLDEN);
});

test('the corners are where a reader looks for them, whatever the text', () => {
  for (let length = 1; length < 400; length += 23) {
    const rows = drawn('x'.repeat(length));
    const size = rows.length;
    expect((size - 17) % 4).toBe(0);
    for (const [x, y] of [
      [0, 0],
      [size - 7, 0],
      [0, size - 7],
    ] as const)
      expect(rows.slice(y, y + 7).map((row) => row.slice(x, x + 7))).toEqual([
        '#######',
        '#.....#',
        '#.###.#',
        '#.###.#',
        '#.###.#',
        '#.....#',
        '#######',
      ]);
  }
});

test('it grows with the text until a phone could not read it any more', () => {
  expect([drawn('a').length, drawn('a'.repeat(14)).length, drawn('a'.repeat(15)).length]).toEqual([
    21, 21, 25,
  ]);
  expect(drawn('a'.repeat(412)).length).toBe(77);
  expect(qrOf('a'.repeat(413))).toBeNull();
});

test('the picture stands alone, with room round the code', () => {
  const svg = svgOf(qrOf('a') ?? []);
  expect(svg).toContain('viewBox="0 0 29 29"');
  expect(svg).toContain('M4 4h1v1h-1z');
});
