import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  addressOf,
  countArrivals,
  NOWHERE,
  OUTCOME_NAMES,
  parsePlace,
  printPlace,
  SHOWS,
  takenWords,
  UNTAKEN,
  untakenWords,
  whyWords,
} from './words';

test('the address keeps what is looked at', () => {
  const place = fc.record({
    show: fc.constantFrom(...SHOWS),
    cursor: fc.string(),
    flow: fc.string(),
    trigger: fc.string(),
    outcome: fc.constantFrom('', ...OUTCOME_NAMES),
  });
  fc.assert(
    fc.property(place, (it) => {
      expect(parsePlace(printPlace(it))).toEqual(it);
    }),
  );
  expect(parsePlace('?show=nothing&outcome=odd')).toEqual(NOWHERE);
});

test('a web request goes to the whole address, a message to its topic', () => {
  const trigger = { definitionId: 'd', version: 1, trigger: 't', state: 'active', counts: {} } as const;
  const origin = 'https://pawl.example';
  expect(addressOf({ ...trigger, type: 'http', address: 'POST /orders' }, origin)).toBe(
    'https://pawl.example/hooks/orders',
  );
  expect(addressOf({ ...trigger, type: 'mqtt', address: 'plant/+/alarm' }, origin)).toBe('plant/+/alarm');
  expect(addressOf({ ...trigger, type: 'http', address: 'POST /orders' }, origin, 'acme')).toBe(
    'https://pawl.example/t/acme/hooks/orders',
  );
  expect(addressOf({ ...trigger, type: 'manual' }, origin)).toBe('https://pawl.example/forms/d/t');
  expect(addressOf({ ...trigger, type: 'cron' }, origin)).toBeNull();
});

test.each([
  ['started', 'It started 2 runs.'],
  ['delivered', 'It went to 2 runs.'],
  ['unmatched', 'Nobody took it again: no flow waits'],
  ['duplicate', 'It had been taken before.'],
  ['refused', 'It was refused: try again later'],
] as const)('an event that was %s', (outcome, words) => {
  const taken = { id: 'a', source: 's', type: 't', instances: [], instanceCount: 2 };
  expect(
    takenWords({ ...taken, outcome, ...(outcome === 'unmatched' ? { reason: 'no flow waits' } : {}) }),
  ).toBe(words);
});

test('reasons for which nobody took an event name flows and runs; others are shown as they are', () => {
  expect(untakenWords('no definition takes events of this source and type')).toMatch(/^no flow takes/);
  expect(untakenWords('nobody has it: full')).toBe('nobody has it: full');
  const engine = readFileSync('../src/runtime/events/event_memory.c', 'utf8');
  for (const reason of UNTAKEN.keys()) expect(engine).toContain(`"${reason}"`);
});

test('arrivals that went wrong are counted apart; an unknown outcome counts among all', () => {
  expect(countArrivals({ created: 3, rejected_auth: 2, toString: 1 })).toEqual({ all: 6, wrong: 2 });
  expect(countArrivals({})).toEqual({ all: 0, wrong: 0 });
});

test('why something went wrong is a sentence; the exact words are kept', () => {
  const broken = "it is not JSON: expected ':' (line 1, column 5)";
  expect(whyWords({ outcome: 'decode_error', note: broken })).toEqual({
    says: 'It is not written as JSON. Whoever sends it has to mend it.',
    exactly: broken,
  });
  expect(whyWords({ outcome: 'decode_error', note: 'it is not UTF-8' }).says).toContain('cannot be read');
  expect(whyWords({ outcome: 'rejected_schema' }).exactly).toBeNull();
  expect(whyWords({ outcome: 'expired', note: 'too late' })).toEqual({ says: 'too late', exactly: null });
  expect(whyWords({ outcome: 'created' }).says).toBe('');
});
