import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { emptyDraft, placeRefusal, printValue, readForm } from './fields';
import { isObject, type Json } from './json';
import { readSchema, titleOfName } from './schema';

/** A schema together with a value that fits it and that a form gives back as it is. */
interface Case {
  readonly schema: Json;
  readonly value: Json;
}

const text = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .map((value): Case => ({ schema: { type: 'string' }, value }));
const email = fc
  .emailAddress()
  .map((value): Case => ({ schema: { type: 'string', format: 'email' }, value }));
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value): Case => ({ schema: { type: 'number' }, value: Object.is(value, -0) ? 0 : value }));
const integer = fc.integer().map((value): Case => ({ schema: { type: 'integer', maximum: value }, value }));
const yesNo = fc.boolean().map((value): Case => ({ schema: { type: 'boolean' }, value }));
const choice = fc
  .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1 })
  .chain((values) => fc.constantFrom(...values).map((value): Case => ({ schema: { enum: values }, value })));
const choices = fc.subarray(['red', 'green', 'blue'], { minLength: 1 }).map((value): Case => ({
  schema: { type: 'array', uniqueItems: true, items: { enum: ['red', 'green', 'blue'] } },
  value,
}));
/** As JSON writes it: -0 is 0 there. */
const anything = fc
  .jsonValue()
  .map((value): Case => ({ schema: {}, value: JSON.parse(JSON.stringify(value)) as Json }));
/** A value of another type than the schema says: it must survive, too. */
const misfit = fc.constant<Case>({ schema: { type: 'number' }, value: { not: 'a number' } });
const leaf = fc.oneof(text, email, number, integer, yesNo, choice, choices, anything, misfit);

const group = (inner: fc.Arbitrary<Case>) =>
  fc
    .dictionary(fc.string({ maxLength: 5 }), fc.tuple(inner, fc.boolean()), {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    })
    .map((members): Case => {
      const entries = Object.entries(members);
      return {
        schema: {
          type: 'object',
          required: entries.filter(([, [, isRequired]]) => isRequired).map(([name]) => name),
          properties: Object.fromEntries(entries.map(([name, [one]]) => [name, one.schema])),
        },
        value: Object.fromEntries(entries.map(([name, [one]]) => [name, one.value])),
      };
    });
const list = (inner: fc.Arbitrary<Case>) =>
  inner.chain((one) =>
    fc.integer({ min: 1, max: 3 }).map((count): Case => ({
      schema: { type: 'array', items: one.schema },
      value: Array(count).fill(one.value) as Json[],
    })),
  );
const anyCase = fc.oneof(
  leaf,
  group(leaf),
  list(leaf),
  group(fc.oneof(group(leaf), list(group(leaf)), leaf)),
);

describe('round trips', () => {
  test('what a form shows of a value, it reads back as that value', () => {
    fc.assert(
      fc.property(anyCase, ({ schema, value }) => {
        const field = readSchema(schema);
        expect(readForm(field, printValue(field, value))).toEqual({ value, problems: [] });
      }),
    );
  });

  test('any JSON is a schema that can be drawn, and an untouched form can be read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (schema) => {
        const field = readSchema(schema);
        readForm(field, emptyDraft(field));
      }),
    );
  });

  test('members that the form does not ask for stay', () => {
    const field = readSchema({ type: 'object', properties: { a: { type: 'string' } } });
    const value = { a: 'x', b: { c: [1] } };
    expect(readForm(field, printValue(field, value)).value).toEqual(value);
  });
});

const problemOf = (schema: Json, entry: string) =>
  readForm(readSchema({ type: 'object', required: ['it'], properties: { it: schema } }), {
    members: { it: entry },
    rest: {},
  }).problems[0]?.message;

describe('messages', () => {
  test.each<[Json, string, string | undefined]>([
    [{ type: 'number', maximum: 5 }, '6', 'At most 5'],
    [{ type: 'number', minimum: 2 }, '1', 'At least 2'],
    [{ type: 'number', exclusiveMinimum: 0 }, '0', 'More than 0'],
    [{ type: 'number', exclusiveMaximum: 9 }, '9', 'Less than 9'],
    [{ type: 'integer' }, '1.5', 'Only whole numbers'],
    [{ type: 'number' }, '1,5', 'Write a number, such as 1250.50'],
    [{ type: 'number' }, '0x10', 'Write a number, such as 1250.50'],
    [{ type: 'number' }, '1e999', 'Write a number, such as 1250.50'],
    [{ type: 'string', maxLength: 2 }, '👩‍👩‍👧', 'At most 2 characters, now 5'],
    [{ type: 'string', minLength: 3 }, 'ab', 'At least 3 characters'],
    [{ type: 'string', format: 'email' }, 'ada', 'Write an e-mail address, such as ada@example.org'],
    [{ type: 'string', format: 'uri' }, 'example', 'Write an address, such as https://example.org'],
    [{ type: 'string' }, '', 'Fill this in'],
    [{ enum: ['a', 'b'] }, '', 'Choose one'],
    [{ type: 'boolean' }, '', 'Choose one'],
    [{ type: 'object' }, '{a', 'This is not JSON: texts need "quotes", members a comma between them'],
    [{ type: ['string', 'null'] }, '', undefined],
  ])('%j with "%s" says %s', (schema, entry, message) => {
    expect(problemOf(schema, entry)).toBe(message);
  });

  test('an optional group that nobody filled in is left out, a started one is not', () => {
    const schema = {
      type: 'object',
      properties: {
        address: {
          type: 'object',
          required: ['city'],
          properties: { city: { type: 'string' }, zip: { type: 'string' } },
        },
      },
    };
    const field = readSchema(schema);
    expect(readForm(field, emptyDraft(field)).value).toEqual({});
    const begun = printValue(field, { address: { zip: '1' } });
    expect(readForm(field, begun).problems).toEqual([{ pointer: '/address/city', message: 'Fill this in' }]);
  });

  test.each([
    ['/days must be at most 5', '/days', 'Must be at most 5'],
    ['/a~1b c must be a string, and is null', '/a~1b c', 'Must be a string, and is null'],
    ['the answer must have "days"', '', 'The answer must have "days"'],
    ['/unknown must be nice', '', '/unknown must be nice'],
  ])('the refusal "%s" stands at "%s"', (message, pointer, words) => {
    const field = readSchema({ properties: { days: { type: 'number' }, 'a/b c': { type: 'string' } } });
    expect(placeRefusal(field, emptyDraft(field), message)).toEqual({ pointer, message: words });
  });
});

describe('schemas', () => {
  const kindOf = (schema: Json) => readSchema(schema).kind;

  test.each<[Json, string]>([
    [{ type: ['string', 'null'] }, 'text'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'number'],
    [{ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'choice'],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'json'],
    [{ type: ['string', 'number'] }, 'json'],
    [{ const: 3 }, 'fixed'],
    [{ type: 'array', items: [{ type: 'string' }] }, 'json'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [{ $ref: '#/$defs/day', $defs: { day: { type: 'string', format: 'date' } } }, 'text'],
    [{ $ref: '#' }, 'json'],
    [{ $ref: 'https://elsewhere/x' }, 'json'],
    [{ allOf: [{ type: 'number' }, { maximum: 3 }] }, 'number'],
    [false, 'json'],
  ])('%j is %s', (schema, kind) => {
    expect(kindOf(schema)).toBe(kind);
  });

  test('a schema that holds itself ends in JSON text', () => {
    const field = readSchema({
      type: 'object',
      properties: { child: { $ref: '#' }, name: { type: 'string' } },
    });
    expect(JSON.stringify(field)).toContain('"kind":"json"');
  });

  test('a member called __proto__ or constructor is a member like others', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"constructor":{"type":"string"}},"required":["constructor"]}',
    ) as Json;
    const field = readSchema(schema);
    expect(readForm(field, emptyDraft(field)).problems).toHaveLength(1);
    expect(isObject(readForm(field, printValue(field, { constructor: 'x' })).value)).toBe(true);
  });

  test.each([
    ['costCentre', 'Cost centre'],
    ['cost_centre', 'Cost centre'],
    ['IBAN', 'IBAN'],
    ['customerID', 'Customer ID'],
    ['Who asks', 'Who asks'],
    ['été', 'Été'],
    ['', ''],
  ])('the name %s is shown as %s', (name, title) => {
    expect(titleOfName(name)).toBe(title);
  });
});
