import fc from 'fast-check';
import { expect, test } from 'vitest';

import { type Row, sideBySide } from './side-by-side';

const lines = (text: string) =>
  text.split('').map((op, index) => ({ op: op as '=' | '+' | '-', text: `line ${index}` }));

const shape = (rows: readonly Row[]): string =>
  rows
    .map((row) =>
      row.kind === 'folded'
        ? `[${row.rows.length}]`
        : row.kind === 'same'
          ? '='
          : `${row.left === null ? '' : '-'}${row.right === null ? '' : '+'}`,
    )
    .join(' ');

test.each([
  ['', ''],
  ['==', '= ='],
  ['=-+=', '= -+ ='],
  ['--+', '-+ -'],
  ['+', '+'],
  ['==========', '[10]'],
  ['==========-', '[7] = = = -'],
  ['+======-', '+ = = = = = = -'],
])('%s becomes %s', (text, expected) => {
  expect(shape(sideBySide(lines(text)))).toBe(expected);
});

test('both columns hold their document whole and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('=' as const, '+' as const, '-' as const)), (ops) => {
      const given = ops.map((op, index) => ({ op, text: String(index) }));
      const flat = (rows: readonly Row[]): readonly Row[] =>
        rows.flatMap((row) => (row.kind === 'folded' ? flat(row.rows) : [row]));
      const all = flat(sideBySide(given));
      const texts = (side: 'left' | 'right') =>
        all.flatMap((row) => (row.kind === 'folded' ? [] : (row[side]?.text ?? [])));
      expect(texts('left')).toEqual(given.filter(({ op }) => op !== '+').map(({ text }) => text));
      expect(texts('right')).toEqual(given.filter(({ op }) => op !== '-').map(({ text }) => text));
    }),
  );
});
