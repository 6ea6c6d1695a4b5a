import { expect, test } from 'vitest';

import { columnsOf, entityName, fieldsOf, shortId, valueAt } from './fields';

const SCHEMA = {
  type: ['object'],
  properties: {
    number: { type: ['string', 'null'] },
    amount: { type: ['number', 'null'] },
    paid: { type: ['boolean', 'null'] },
    address: { type: ['object', 'null'], properties: { zipCode: { type: ['string', 'null'] } } },
    lines: {
      type: ['array', 'null'],
      items: { type: ['object'], properties: { sku: { type: ['string'] } } },
    },
    tags: { type: ['array'], items: { type: ['string'] } },
  },
};

test('fields are told with their paths and types', () => {
  const fields = fieldsOf(SCHEMA);
  expect(fields.map(({ path, title, type }) => [path, title, type])).toEqual([
    ['number', 'Number', 'text'],
    ['amount', 'Amount', 'number'],
    ['paid', 'Paid', 'yesNo'],
    ['address.zipCode', 'Address › Zip code', 'text'],
    ['lines[*].sku', 'Lines › Sku', 'text'],
    ['tags[*]', 'Tags', 'text'],
  ]);
  expect(columnsOf(fields, 9).map(({ path }) => path)).toEqual([
    'number',
    'amount',
    'paid',
    'address.zipCode',
  ]);
  expect(fieldsOf(undefined)).toEqual([]);
});

test('an entity is called by what tells it apart', () => {
  const id = 'e1911900-e1bc-11f1-8000-010000000009';
  expect(entityName({ amount: 5, orderNumber: 'O-1', customer: 'Ada' }, id)).toBe('O-1');
  expect(entityName({ amount: 5, colour: 'red' }, id)).toBe('red');
  expect(entityName({ amount: 5, name: 'x'.repeat(81) }, id)).toBe(shortId(id));
  expect(entityName({}, id)).toBe('e1911900-e1bc');
  expect(entityName(null, id)).toBe('e1911900-e1bc');
  expect(valueAt({ a: { b: 7 } }, 'a.b')).toBe(7);
  expect(valueAt({ a: 7 }, 'a.b')).toBeUndefined();
  expect(valueAt({}, 'toString')).toBeUndefined();
});
