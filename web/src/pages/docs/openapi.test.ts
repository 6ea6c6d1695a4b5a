import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { parseJson } from '../../flow/json';
import { byTag, operationFits, operationsOf } from './openapi';

const text = readFileSync(new URL('../../../../contract/openapi.json', import.meta.url), 'utf8');
const outcome = parseJson(text);
const operations = outcome.ok ? operationsOf(outcome.value) : [];

test('every operation of the contract is read, with what it takes and gives', () => {
  const named = text.match(/"operationId":/g) ?? [];
  expect(operations.length).toBe(named.length);
  expect(operations.filter(({ summary, replies }) => summary === '' || replies.length === 0)).toEqual([]);
  // References to shared parameters and answers are followed.
  expect(operations.flatMap(({ fields }) => fields).filter(({ name }) => name === '')).toEqual([]);
  expect(operations.flatMap(({ replies }) => replies).filter(({ says }) => says === '')).toEqual([]);
  const bulk = operations.find(({ id }) => id === 'beginMigration');
  expect(bulk?.body?.example).toMatchObject({ definitionId: 'order' });
  expect(bulk?.fields.map(({ name }) => name)).toContain('Idempotency-Key');
});

test('words find operations in capitals or not; tags keep their order', () => {
  const found = operations.filter((operation) => operationFits(operation, 'BULK pause'));
  expect(found.map(({ id }) => id)).toContain('pauseBulk');
  expect([...byTag(operations).values()].flat().length).toBe(operations.length);
});

test('what is no description has no operations', () => {
  for (const value of [
    null,
    7,
    {},
    { paths: { '/x': { get: 3 } } },
    { paths: { '/x': { $ref: '#/paths/~1x' } } },
  ])
    expect(operationsOf(value)).toEqual([]);
});
