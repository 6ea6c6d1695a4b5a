/* ui/qr.ts — an address as a QR code: the squares of ISO/IEC 18004, with bytes as they are and 15 % of them as a reserve against dirt (level M).
 * Larger codes than those of 77 squares are not made: a phone does not read them from a screen, and no address is as long. */

/** True: a dark square. Rows from the top. */
export type Squares = readonly (readonly boolean[])[];

/* By version, from 1 on: bytes of the reserve in each block, and blocks. */
const RESERVE = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
const VERSION_MAX = RESERVE.length;
const BYTE_MODE = 4;
const FILLERS = [0xec, 0x11];

/* ---- bytes of the reserve: polynomials over the field of 256 ---- */

function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if (((b >> bit) & 1) === 1) product ^= a;
  }
  return product;
}

function divisorOf(degree: number): number[] {
  let divisor = [1];
  for (let root = 1, i = 0; i < degree; i++, root = times(root, 2)) {
    const next = [...divisor, 0];
    divisor.forEach((factor, at) => (next[at + 1] = (next[at + 1] ?? 0) ^ times(factor, root)));
    divisor = next;
  }
  return divisor;
}

function reserveOf(data: readonly number[], count: number): number[] {
  const divisor = divisorOf(count);
  const rest = [...data, ...Array<number>(count).fill(0)];
  data.forEach((_, at) => {
    const factor = rest[at] ?? 0;
    divisor.forEach((each, i) => (rest[at + i] = (rest[at + i] ?? 0) ^ times(each, factor)));
  });
  return rest.slice(data.length);
}

/* ---- the bytes of a code ---- */

const sizeOf = (version: number) => 17 + 4 * version;

function alignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((sizeOf(version) - 13) / (2 * count - 2)) * 2;
  const far = Array.from({ length: count - 1 }, (_, i) => sizeOf(version) - 7 - i * step);
  return [6, ...far.reverse()];
}

/** All bytes that a code has room for. */
function roomOf(version: number): number {
  const count = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const taken = count === 0 ? 0 : (25 * count - 10) * count - 55;
  return Math.floor(((16 * version + 128) * version + 64 - taken - (version >= 7 ? 36 : 0)) / 8);
}

const blocksOf = (version: number) => BLOCKS[version - 1] ?? 1;
const reserveIn = (version: number) => RESERVE[version - 1] ?? 0;
const dataRoom = (version: number) => roomOf(version) - reserveIn(version) * blocksOf(version);
const lengthBits = (version: number) => (version < 10 ? 8 : 16);

function dataBytes(bytes: readonly number[], version: number): number[] {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let at = count - 1; at >= 0; at--) bits.push((value >> at) & 1);
  };
  put(BYTE_MODE, 4);
  put(bytes.length, lengthBits(version));
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, dataRoom(version) * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const data: number[] = [];
  for (let at = 0; at < bits.length; at += 8)
    data.push(bits.slice(at, at + 8).reduce((byte, bit) => (byte << 1) | bit, 0));
  for (let at = 0; data.length < dataRoom(version); at++) data.push(FILLERS[at % 2] ?? 0);
  return data;
}

/** The bytes in the order in which they are drawn: the blocks take turns. */
function drawnBytes(data: readonly number[], version: number): number[] {
  const [count, reserve] = [blocksOf(version), reserveIn(version)];
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const blocks: number[][] = [];
  for (let block = 0, at = 0; block < count; block++) {
    const length = short + (block >= longFrom ? 1 : 0);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  const inTurns = (lists: readonly (readonly number[])[]) =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, at) =>
      lists.flatMap((list) => list[at] ?? []),
    ).flat();
  return [...inTurns(blocks), ...inTurns(blocks.map((block) => reserveOf(block, reserve)))];
}

/* ---- the squares ---- */

class Board {
  readonly dark: boolean[][];
  /** Squares that are no data. */
  readonly fixed: boolean[][];
  constructor(readonly size: number) {
    const empty = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    [this.dark, this.fixed] = [empty(), empty()];
  }
  fix(x: number, y: number, isDark: boolean): void {
    const [row, fixed] = [this.dark[y], this.fixed[y]];
    if (row === undefined || fixed === undefined || x < 0 || x >= this.size) return;
    [row[x], fixed[x]] = [isDark, true];
  }
  isFixed = (x: number, y: number): boolean => this.fixed[y]?.[x] === true;
}

/* Rings round a middle: dark but for those of these distances. */
function drawRings(board: Board, x: number, y: number, radius: number, light: readonly number[]): void {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++)
      board.fix(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
}

function drawPatterns(board: Board, version: number): void {
  const { size } = board;
  for (let at = 0; at < size; at++) {
    board.fix(6, at, at % 2 === 0);
    board.fix(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(board, x, y, 4, [2, 4]);
  const places = alignments(version);
  for (const x of places)
    for (const y of places) {
      const isCorner = (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6);
      if (!isCorner) drawRings(board, x, y, 2, [1]);
    }
  if (version < 7) return;
  const bits = withRest(version, 12, 0x1f25);
  for (let i = 0; i < 18; i++) {
    const [near, far] = [Math.floor(i / 3), size - 11 + (i % 3)];
    board.fix(far, near, ((bits >> i) & 1) === 1);
    board.fix(near, far, ((bits >> i) & 1) === 1);
  }
}

/** A number followed by the rest of its division, by which a reader mends it. */
function withRest(value: number, count: number, divisor: number): number {
  let rest = value;
  for (let i = 0; i < count; i++) rest = (rest << 1) ^ ((rest >> (count - 1)) * divisor);
  return (value << count) | rest;
}

/* The mask, twice; level M is 0. */
function drawFormat(board: Board, mask: number): void {
  const bits = withRest(mask, 10, 0x537) ^ 0x5412;
  const { size } = board;
  const isDark = (i: number) => ((bits >> i) & 1) === 1;
  for (let i = 0; i < 15; i++) {
    if (i < 8) board.fix(8, i < 6 ? i : i + 1, isDark(i));
    else board.fix(i === 8 ? 7 : 14 - i, 8, isDark(i));
    if (i < 8) board.fix(size - 1 - i, 8, isDark(i));
    else board.fix(8, size - 15 + i, isDark(i));
  }
  board.fix(8, size - 8, true);
}

/** The squares of the data in their order: two columns at a time, up and down in turns, from the right, without the column of the ruler. */
function* wayOf(size: number): Generator<readonly [number, number]> {
  for (let pair = 0; pair < (size - 1) / 2; pair++) {
    const right = size - 1 - 2 * pair;
    const x = right > 6 ? right : right - 1;
    for (let step = 0; step < size; step++) {
      const y = pair % 2 === 0 ? size - 1 - step : step;
      yield [x, y];
      yield [x - 1, y];
    }
  }
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function boardOf(bytes: readonly number[], version: number, mask: number): Board {
  const board = new Board(sizeOf(version));
  drawPatterns(board, version);
  drawFormat(board, mask);
  let at = 0;
  for (const [x, y] of wayOf(board.size)) {
    if (board.isFixed(x, y)) continue;
    const bit = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
    at++;
    const row = board.dark[y];
    if (row !== undefined) row[x] = (bit === 1) !== (MASKS[mask]?.(x, y) === true);
  }
  return board;
}

/* ---- the best mask: few long lines, few blots, nothing that looks like a corner, as much dark as light ---- */

const CORNERS = ['10111010000', '00001011101'];

function costOfLine(line: string): number {
  let cost = 0;
  for (const { length } of line.match(/(.)\1{4,}/g) ?? []) cost += length - 2;
  for (const corner of CORNERS)
    for (let at = line.indexOf(corner); at >= 0; at = line.indexOf(corner, at + 1)) cost += 40;
  return cost;
}

function costOf({ dark, size }: Board): number {
  const rows = dark.map((row) => row.map((each) => (each ? '1' : '0')).join(''));
  const columns = rows.map((_, x) => rows.map((row) => row.charAt(x)).join(''));
  let cost = [...rows, ...columns].reduce((sum, line) => sum + costOfLine(line), 0);
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const four = `${rows[y - 1]?.slice(x - 1, x + 1) ?? ''}${rows[y]?.slice(x - 1, x + 1) ?? ''}`;
      if (four === '0000' || four === '1111') cost += 3;
    }
  const share = rows.join('').replaceAll('0', '').length / (size * size);
  return cost + Math.floor(Math.abs(share - 0.5) * 20) * 10;
}

/** Null: the text is too long. */
export function qrOf(text: string): Squares | null {
  const bytes = [...new TextEncoder().encode(text)];
  let version = 1;
  while (version <= VERSION_MAX && dataRoom(version) * 8 < 4 + lengthBits(version) + bytes.length * 8)
    version++;
  if (version > VERSION_MAX) return null;
  const drawn = drawnBytes(dataBytes(bytes, version), version);
  const boards = MASKS.map((_, mask) => boardOf(drawn, version, mask));
  return boards.reduce((best, board) => (costOf(board) < costOf(best) ? board : best)).dark;
}

/** Squares that a reader needs round the code. */
const QUIET = 4;

/** The code as an SVG that stands alone: dark on light in each theme, or no reader finds it. */
export function svgOf(squares: Squares): string {
  const size = squares.length + 2 * QUIET;
  const path = squares
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : [])))
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="white" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
}
