import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../flow/json';
import {
  addColumn,
  cellText,
  columnRefusal,
  copyRow,
  type DecisionTable,
  inputsOf,
  insertRow,
  moveRow,
  readTable,
  removeColumn,
  removeRow,
  setCells,
  setPolicy,
  variablesOf,
} from './table-doc';
import { failureWords, findingWords, matchWords, POLICIES, policyWord } from './words';

const DOCUMENT: JsonObject = {
  id: 'd',
  extra: { kept: true },
  steps: [
    { id: 'a', type: 'END' },
    {
      id: 't',
      name: 'Tier',
      type: 'DECISION_TABLE',
      hitPolicy: 'F',
      note: 'kept',
      decisionTable: {
        rules: [
          { when: { credit: '#creditScore < 500' }, outputs: { tier: 'HIGH' }, id: 'kept' },
          { when: { fraud: 'fraudScore > 0.8' }, outputs: { tier: 'HIGH', rate: 1.5 } },
          { when: {}, outputs: { tier: '${base}' } },
        ],
      },
    },
  ],
};

function tableOf(document: JsonObject): DecisionTable {
  const table = readTable(document, 't');
  if (table === null) throw new Error('there is no table');
  return table;
}
const textsOf = (document: JsonObject) => {
  const { rules, columns } = tableOf(document);
  return rules.map((rule) => columns.map((column) => cellText(rule, column)));
};
const namesOf = (document: JsonObject) => tableOf(document).columns.map(({ name }) => name);

test('a table is read with its columns and what they look at', () => {
  const table = tableOf(DOCUMENT);
  expect(table.columns).toEqual([
    { side: 'when', name: 'credit', field: '#creditScore' },
    { side: 'when', name: 'fraud', field: 'fraudScore' },
    { side: 'outputs', name: 'tier', field: '' },
    { side: 'outputs', name: 'rate', field: '' },
  ]);
  expect(textsOf(DOCUMENT)).toEqual([
    ['< 500', '', 'HIGH', ''],
    ['', '> 0.8', 'HIGH', '1.5'],
    ['', '', '= base', ''],
  ]);
  expect(inputsOf(table)).toEqual(['creditScore', 'fraudScore']);
  expect(readTable(DOCUMENT, 'a')).toBeNull();
  expect(readTable(DOCUMENT, 'no')).toBeNull();
  expect(readTable(7, 't')).toBeNull();
});

describe('edits', () => {
  test('a cell becomes an expression about its field, and nothing else changes', () => {
    const next = setCells(DOCUMENT, 't', [{ row: 0, column: 0, text: '450 to 500' }]);
    expect(tableOf(next).rules[0]).toEqual({
      when: { credit: '#creditScore >= 450 && #creditScore <= 500' },
      outputs: { tier: 'HIGH' },
      id: 'kept',
    });
    expect(next['extra']).toBe(DOCUMENT['extra']);
    expect(tableOf(next).step['note']).toBe('kept');
    expect(setCells(DOCUMENT, 't', [{ row: 0, column: 0, text: ' < 500 ' }])).toBe(DOCUMENT);
  });

  test('a paste makes the rows that it needs', () => {
    const next = setCells(DOCUMENT, 't', [
      { row: 2, column: 2, text: 'LOW' },
      { row: 3, column: 2, text: 'NONE' },
      { row: 3, column: 9, text: 'beyond' },
    ]);
    expect(textsOf(next).slice(2)).toEqual([
      ['', '', 'LOW', ''],
      ['', '', 'NONE', ''],
    ]);
  });

  test('a column that is emptied stays where it is', () => {
    const next = setCells(DOCUMENT, 't', [{ row: 0, column: 0, text: '' }]);
    expect(namesOf(next)).toEqual(['credit', 'fraud', 'tier', 'rate']);
    expect(textsOf(next)[0]).toEqual(['', '', 'HIGH', '']);
    expect(namesOf(moveRow(DOCUMENT, 't', 1, 0))).toEqual(['credit', 'fraud', 'tier', 'rate']);
  });

  test('columns come and go', () => {
    const more = addColumn(addColumn(DOCUMENT, 't', 'when', 'customer.age'), 't', 'outputs', 'note');
    expect(namesOf(more)).toEqual(['credit', 'fraud', 'customer.age', 'tier', 'rate', 'note']);
    const filled = setCells(more, 't', [{ row: 1, column: 2, text: '≥ 18' }]);
    expect(tableOf(filled).rules[1]?.['when']).toEqual({
      fraud: 'fraudScore > 0.8',
      'customer.age': 'customer.age >= 18',
    });
    expect(namesOf(removeColumn(filled, 't', 2))).toEqual(['credit', 'fraud', 'tier', 'rate', 'note']);
    expect(columnRefusal(tableOf(DOCUMENT), 'when', 'fraud')).not.toBeNull();
    expect(columnRefusal(tableOf(DOCUMENT), 'when', 'a b')).not.toBeNull();
    expect(columnRefusal(tableOf(DOCUMENT), 'outputs', 'a b')).toBeNull();
  });

  test('rows come, go and move; one is left', () => {
    expect(textsOf(insertRow(DOCUMENT, 't', 0))).toHaveLength(4);
    expect(textsOf(copyRow(DOCUMENT, 't', 1))[2]).toEqual(['', '> 0.8', 'HIGH', '1.5']);
    const one = removeRow(removeRow(DOCUMENT, 't', 2), 't', 1);
    expect(removeRow(one, 't', 0)).toBe(one);
    expect(moveRow(DOCUMENT, 't', 0, 3)).toBe(DOCUMENT);
    expect(tableOf(setPolicy(DOCUMENT, 't', 'C+')).policy).toBe('C+');
  });

  test('whatever is done to the cells, columns keep their order and texts stay what was typed', () => {
    const edit = fc.record({
      row: fc.nat(4),
      column: fc.nat(3),
      text: fc.constantFrom('', '< 5', 'gold', 'a, b', '= x > y', '12', 'yes', '1 to 2'),
    });
    const op = fc.oneof(
      edit.map((each) => (document: JsonObject) => setCells(document, 't', [each])),
      fc.tuple(fc.nat(4), fc.nat(4)).map(
        ([from, to]) =>
          (document: JsonObject) =>
            moveRow(document, 't', from, to),
      ),
      fc.nat(4).map((at) => (document: JsonObject) => removeRow(document, 't', at)),
    );
    fc.assert(
      fc.property(fc.array(op, { maxLength: 12 }), (ops) => {
        const edited = ops.reduce((document, each) => each(document), DOCUMENT);
        expect(namesOf(edited)).toEqual(['credit', 'fraud', 'tier', 'rate']);
        const again = setCells(
          edited,
          't',
          textsOf(edited).flatMap((cells, row) => cells.map((text, column) => ({ row, column, text }))),
        );
        expect(again).toBe(edited);
      }),
    );
  });
});

test('values to try are data of a run', () => {
  const entries = new Map([
    ['amount', '12.5'],
    ['customer.age', '40'],
    ['customer.name', 'Ada'],
    ['blank', ' '],
  ]);
  expect(variablesOf(entries)).toEqual({ amount: 12.5, customer: { age: 40, name: 'Ada' } });
});

test('findings speak of rows', () => {
  expect(
    findingWords({
      code: 'TABLE_OVERLAP',
      message: 'rules[0] and rules[1] can hold at once: a = 6, who = "x"',
    }),
  ).toBe('Rows 1 and 2 both fit, for example when a is 6 and who is x.');
  expect(
    findingWords({ code: 'TABLE_OVERLAP', message: 'rules[0] and rules[2] can hold at once: any input' }),
  ).toBe('Rows 1 and 3 both fit, always.');
  expect(findingWords({ code: 'TABLE_GAP', message: 'no rule holds for amount = 100' })).toBe(
    'No row fits when amount is 100.',
  );
  expect(
    findingWords({
      code: 'TABLE_GAP',
      message: 'there is no rule that always holds, and the others may leave gaps',
    }),
  ).toBe('There is no row that always fits, and the others may leave gaps.');
  expect(findingWords({ code: 'BAD_EXPRESSION', message: 'rules[3]: unexpected end' })).toBe(
    'Row 4: unexpected end.',
  );
  expect(
    findingWords({
      code: 'BAD_EXPRESSION',
      message:
        'step "t" (DECISION_TABLE): rules[4].when "credit" expression "a \\"b\\" >": expected a value at column 9',
    }),
  ).toBe('Row 5, Credit: expected a value.');
  expect(failureWords('DecisionTableUniqueViolation: step "t", matching rule indices [0 1]')).toBe(
    'Fails: more than one row fits.',
  );
  expect(
    failureWords(
      'DecisionTableCellError: ruleIndex=4 column="creditScore" expression "x >= \'y\'": cannot coerce',
    ),
  ).toBe('Row 5, Credit score: cannot coerce.');
  expect(
    findingWords({ code: 'TABLE_SHADOW', message: 'rules[2] never counts: rules[0] holds whenever it does' }),
  ).toBe('Row 3 is never reached: row 1 fits before it, always.');
  expect(matchWords([])).toBe('No row fits');
  expect(matchWords([0])).toBe('Row 1');
  expect(matchWords([0, 2])).toBe('Rows 1, 3');
  expect(policyWord('F')).toBe('The first row that fits');
  expect(policyWord('?')).toBe('?');
  expect(new Set(POLICIES.map(({ word }) => word)).size).toBe(POLICIES.length);
});
