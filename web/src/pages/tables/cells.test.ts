import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  type Cell,
  COMPARISONS,
  parseCell,
  printCell,
  readCell,
  readResult,
  showCell,
  showResult,
} from './cells';
import { readCells, printCells } from './clipboard';
import { type Literal, printLiteral, readLiteral, showLiteral } from './literals';

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('gold', 'yes', 'No', '12', '1e5', '', ' a ', 'a, b', 'a and b', '5 to 6', 'not x', '= y', '"', "it's", '\\', '\n', '-', 'nothing', '< 5', 'is it', '..', '{', '['),
); // prettier-ignore
const anyLiteral: fc.Arbitrary<Literal> = fc.oneof(
  anyText,
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
);
const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constant<Cell>({ kind: 'any' }),
  fc.record({
    kind: fc.constant('tests' as const),
    tests: fc.array(fc.record({ op: fc.constantFrom(...COMPARISONS), value: anyLiteral }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('oneOf' as const), values: fc.array(anyLiteral, { minLength: 2, maxLength: 4 }) }),
); // prettier-ignore

describe('round trips', () => {
  test('a value reads as it was shown', () => {
    fc.assert(
      fc.property(anyLiteral, (value) => {
        expect(readLiteral(showLiteral(value))).toBe(value);
      }),
    );
  });
  test('a cell reads as it was shown', () => {
    fc.assert(
      fc.property(anyCell, (cell) => {
        expect(readCell(showCell(cell))).toEqual(cell);
      }),
      { numRuns: 500 },
    );
  });
  test('what the document has is the cell that made it', () => {
    fc.assert(
      fc.property(fc.constantFrom('x', '#x', 'a.b_1.c'), anyCell, (field, cell) => {
        const parsed = parseCell(printCell(field, cell));
        expect(parsed).toEqual({ field: cell.kind === 'any' ? '' : field, cell });
      }),
    );
  });
  test('a result reads as it was shown', () => {
    fc.assert(
      fc.property(fc.oneof(anyLiteral, fc.constant(null)), (value) => {
        expect(readResult(showResult(value))).toEqual(value === '' ? undefined : value);
      }),
    );
    for (const value of [{ a: [1, 'x'] }, [1], '${a + 1}'])
      expect(readResult(showResult(value))).toEqual(value);
  });
  test('cells go through the clipboard', () => {
    const matrix = fc.array(fc.array(anyText, { minLength: 2, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    });
    const plain = (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
    fc.assert(
      fc.property(matrix, (rows) => {
        expect(readCells(printCells(rows))).toEqual(rows.map((row) => row.map(plain)));
      }),
    );
  });
});

test('people write conditions in words', () => {
  const printed = (text: string) => printCell('x', readCell(text));
  expect(printed('gold')).toBe("x == 'gold'");
  expect(printed('not gold')).toBe("x != 'gold'");
  expect(printed('gold, silver')).toBe("x in ['gold', 'silver']");
  expect(printed('500 to 650')).toBe('x >= 500 && x <= 650');
  expect(printed('500..650')).toBe('x >= 500 && x <= 650');
  expect(printed('≥ 500 and < 650')).toBe('x >= 500 && x < 650');
  expect(printed('at least 5')).toBe('x >= 5');
  expect(printed('more than 5')).toBe('x > 5');
  expect(printed('yes')).toBe('x == true');
  expect(printed('"12"')).toBe("x == '12'");
  expect(printed('= y > 1')).toBe('y > 1');
  expect(printed('')).toBe('');
  expect(printed('–')).toBe('');
});

test('other expressions stay formulas', () => {
  for (const text of ['x > 1 && y < 2', 'x > y', 'contains(tags, "a")', 'x > 1 || x < 0', '!x', 'x in [1]'])
    expect(parseCell(text).cell).toEqual({ kind: 'formula', text });
  expect(parseCell('#x == "a\\nb"')).toEqual({
    field: '#x',
    cell: { kind: 'tests', tests: [{ op: '==', value: 'a\nb' }] },
  });
  expect(printLiteral("it's")).toBe("'it\\'s'");
});

test('a piece of a spreadsheet becomes cells', () => {
  expect(readCells('a\tb\r\nc\td\r\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(readCells('"x\ty"\t"say ""hi"""\n')).toEqual([['x\ty', 'say "hi"']]);
  expect(readCells('5" pipe\tb')).toEqual([['5" pipe', 'b']]);
  expect(readCells('"open\tb')).toEqual([['"open', 'b']]);
});
