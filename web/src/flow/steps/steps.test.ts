import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { applyCommand, type Command, refusal } from '../command';
import { type Row } from '../condition';
import { dataAt } from '../data';
import {
  findBroken,
  findNode,
  type Flow,
  linesFrom,
  linesOf,
  nodesOf,
  openValue,
  parseFlow,
  printFlow,
} from '../flow';
import { formatOf, isSteps } from '../format';
import { commit, open, undo } from '../history';
import { isList, isObject, type Json, type JsonObject, parseJson } from '../json';
import { placesOf } from '../layout';
import { outlineOf } from '../outline';
import { sayLine } from '../say';
import { anySteps, anyStepRecipe, cookSteps } from './any-steps';
import { expressionOf, rowsOfExpression } from './expression';
import { placeProblem } from './problems';
import { START_ID } from './read';
import { readTable, type TableAnswer } from '../table';
import { stepTypes } from './types';
import { kindOfValue, valueOfKind, wordOfValue } from './values';

const LOAN: Flow = {
  id: 'loan',
  name: 'Loan',
  steps: [
    { id: 'check', name: 'Check', type: 'SERVICE_TASK', jobType: 'check', nextStep: 'decide' },
    {
      id: 'decide',
      name: 'Decide',
      type: 'DECISION',
      conditionalNextSteps: { '#score >= 700': 'pay', true: 'ask' },
    },
    {
      id: 'ask',
      name: 'Ask',
      type: 'USER_TASK',
      nextStep: 'pay',
      boundaryEvents: [{ type: 'TIMER', duration: 'P2D', interrupting: true, targetStepId: 'end' }],
    },
    { id: 'pay', name: 'Pay', type: 'SERVICE_TASK', jobType: 'pay', nextStep: 'end' },
    { id: 'end', name: 'End', type: 'END' },
  ],
};

const does = (flow: Flow, command: Command) => {
  expect(refusal(flow, command)).toBeNull();
  return applyCommand(flow, command, 10);
};
const keys = (flow: Flow) => linesOf(flow).map((line) => line.key);
const step = (flow: Flow, id: string) => findNode(flow, id)?.raw;
const TYPES = stepTypes(
  readTable(
    JSON.parse(readFileSync(join(__dirname, '../../../../contract/node-types.json'), 'utf8')) as TableAnswer,
  ),
);

describe('reading', () => {
  test('steps are nodes, what follows them are lines', () => {
    expect(nodesOf(LOAN).map((node) => node.id)).toEqual([START_ID, 'check', 'decide', 'ask', 'pay', 'end']);
    expect(keys(LOAN)).toEqual([
      '(start):out>check',
      'check:out>decide',
      'decide:out>pay',
      'decide:out>ask',
      'ask:out>pay',
      'ask:timer:0>end',
      'pay:out>end',
    ]);
    expect(linesFrom(LOAN, 'decide').map((line) => sayLine(LOAN, line, TYPES))).toEqual([
      'Score at least 700',
      'otherwise',
    ]);
    expect(linesFrom(LOAN, 'ask').map((line) => sayLine(LOAN, line, TYPES))).toEqual(['', 'after 2 days']);
  });

  test.each([
    [
      'two ids',
      [
        { id: 'a', type: 'END' },
        { id: 'a', type: 'END' },
      ],
    ],
    ['no id', [{ type: 'END' }]],
    ['a next step that is no text', [{ id: 'a', type: 'WAIT', nextStep: 1 }]],
    ['other capital letters', [{ ID: 'a', Type: 'END' }]],
    ['a condition that leads to no text', [{ id: 'a', type: 'DECISION', conditionalNextSteps: { true: 1 } }]],
    ['a step that is no object', ['a']],
  ])('%s is for the text view', (_, steps) => {
    expect(openValue({ id: 'x', name: 'X', steps }).kind).toBe('other');
  });
});

describe('changes', () => {
  test('a step on a line stands between both', () => {
    const next = does(LOAN, {
      kind: 'addNode',
      type: 'WAIT',
      label: 'Wait',
      config: {},
      place: { kind: 'line', key: 'check:out>decide' },
    });
    expect(step(next, 'check')).toMatchObject({ nextStep: 'wait_11' });
    expect(step(next, 'wait_11')).toEqual({ id: 'wait_11', name: 'Wait', type: 'WAIT', nextStep: 'decide' });
  });

  test('a step before the first one is the first one', () => {
    const next = does(LOAN, {
      kind: 'addNode',
      type: 'SERVICE_TASK',
      label: 'New',
      config: {},
      place: { kind: 'line', key: '(start):out>check' },
    });
    expect(nodesOf(next)[1]?.id).toBe('do_11');
    expect(step(next, 'do_11')).toMatchObject({ nextStep: 'check' });
  });

  test('a split comes with the place where its ways meet', () => {
    const next = does(LOAN, {
      kind: 'addNode',
      type: 'PARALLEL_GATEWAY',
      label: 'Split',
      config: {},
      place: { kind: 'line', key: 'pay:out>end' },
    });
    expect(step(next, 'split_11')).toMatchObject({ parallelNextSteps: ['join_12'], joinStep: 'join_12' });
    expect(step(next, 'join_12')).toMatchObject({ type: 'JOIN_GATEWAY', nextStep: 'end' });
    const more = does(next, {
      kind: 'addNode',
      type: 'USER_TASK',
      label: 'Ask',
      config: {},
      place: { kind: 'port', node: 'split_11', port: 'out' },
    });
    expect(step(more, 'ask_11')).toMatchObject({ nextStep: 'join_12' });
  });

  test('ways of a decision: a new one has no condition yet and is asked before "otherwise"', () => {
    const added = does(LOAN, { kind: 'connect', from: 'decide', port: 'out', to: 'end' });
    expect(Object.entries(step(added, 'decide')?.['conditionalNextSteps'] as JsonObject)).toEqual([
      ['#score >= 700', 'pay'],
      ['', 'end'],
      ['true', 'ask'],
    ]);
    const set = does(added, { kind: 'setCondition', key: 'decide:out>end', condition: 'score < 100' });
    const moved = does(set, { kind: 'moveLine', key: 'decide:out>end', by: -1 });
    expect(Object.keys(step(moved, 'decide')?.['conditionalNextSteps'] as JsonObject)).toEqual([
      'score < 100',
      '#score >= 700',
      'true',
    ]);
    const other = does(moved, { kind: 'setDefault', key: 'decide:out>end' });
    expect(Object.entries(step(other, 'decide')?.['conditionalNextSteps'] as JsonObject)).toEqual([
      ['#score >= 700', 'pay'],
      ['', 'ask'],
      ['true', 'end'],
    ]);
  });

  test('two ways may say the same, and a number stays where it is', () => {
    const added = does(LOAN, { kind: 'connect', from: 'decide', port: 'out', to: 'end' });
    const same = does(added, { kind: 'setCondition', key: 'decide:out>end', condition: '#score >= 700' });
    expect(linesFrom(same, 'decide').map((line) => line.condition)).toEqual([
      '#score >= 700',
      '#score >= 700',
      undefined,
    ]);
    const number = does(added, { kind: 'setCondition', key: 'decide:out>end', condition: '1' });
    expect(linesFrom(number, 'decide').map((line) => line.to)).toEqual(['pay', 'end', 'ask']);
  });

  test('a way keeps its condition when it leads elsewhere', () => {
    const next = does(LOAN, {
      kind: 'retarget',
      from: 'decide',
      port: 'out',
      to: 'end',
      key: 'decide:out>pay',
    });
    expect(step(next, 'decide')).toMatchObject({
      conditionalNextSteps: { '#score >= 700': 'end', true: 'ask' },
    });
  });

  test('a step that goes leaves nothing that names it', () => {
    const next = does(LOAN, { kind: 'deleteNodes', ids: ['pay'] });
    expect(JSON.stringify(next)).not.toContain('"pay"');
    expect(step(next, 'ask')).toMatchObject({ nextStep: 'end' });
    expect(
      step(does(LOAN, { kind: 'deleteNodes', ids: ['end'] }), 'ask')?.['boundaryEvents'],
    ).toBeUndefined();
  });

  test.each([
    [{ kind: 'deleteNodes', ids: [START_ID] }, 'A flow needs its start'],
    [{ kind: 'disconnect', key: '(start):out>check' }, 'A flow begins with its first step'],
    [{ kind: 'setLabel', id: START_ID, label: 'x' }, 'The start has nothing to fill in'],
    [{ kind: 'wrapInLoop', ids: ['pay'], label: 'x' }, 'Flows of this kind have no loops'],
    [
      { kind: 'paste', nodes: [{ id: 'a', type: 'end' }], edges: [] },
      'That is a part of another kind of flow',
    ],
  ] as const)('%j is refused', (command, why) => expect(refusal(LOAN, command)).toBe(why));

  test('places are kept in metadata, which the engine keeps as it is', () => {
    const next = does(LOAN, { kind: 'moveNodes', moves: [{ id: 'pay', x: 80, y: 160 }] });
    expect((next['metadata'] as JsonObject)['places']).toMatchObject({ pay: { x: 80, y: 160 } });
    expect(next['steps']).toEqual(LOAN['steps']);
    expect(placesOf(next).get('pay')).toMatchObject({ x: 80, y: 160 });
  });

  test('copies lead to copies', () => {
    const part = formatOf(LOAN).copy(LOAN, new Set(['decide', 'ask']));
    const nodes = isList(part['steps']) ? part['steps'].filter(isObject) : [];
    const next = does(LOAN, { kind: 'paste', nodes, edges: [] });
    expect(step(next, 'decide_11')).toMatchObject({ conditionalNextSteps: { true: 'ask_12' } });
    expect(step(next, 'ask_12')?.['nextStep']).toBeUndefined();
    expect(step(next, 'ask_12')?.['boundaryEvents']).toBeUndefined();
  });
});

/* Members that nobody here knows, wherever they stand. */
function unknownOf(flow: Flow): readonly unknown[] {
  const steps = isList(flow['steps']) ? flow['steps'].filter(isObject) : [];
  return [
    Object.entries(flow).filter(([name]) => name.startsWith('x')),
    isObject(flow['metadata']) ? flow['metadata']['note'] : undefined,
    steps.map((raw) => [raw['id'], raw['xExtra']]),
  ];
}

describe('always', () => {
  test('a document comes out as it went in', () => {
    fc.assert(
      fc.property(anySteps(), (flow) => {
        const read = parseFlow(printFlow(flow));
        expect(read.kind === 'flow' && JSON.stringify(read.flow)).toBe(JSON.stringify(flow));
      }),
    );
  });

  test('commands break nothing, lose nothing that they do not know, and can be taken back', () => {
    fc.assert(
      fc.property(anySteps(), fc.array(anyStepRecipe(), { maxLength: 12 }), (flow, recipes) => {
        let history = open(flow);
        for (const recipe of recipes) {
          const before = history.now.flow;
          history = commit(history, cookSteps(before, recipe));
          const { flow: after } = history.now;
          expect(findBroken(after)).toEqual([]);
          expect(openValue(after).kind).toBe('flow');
          expect(outlineOf(after).filter((item) => item.kind === 'node')).toHaveLength(nodesOf(after).length);
          expect(placesOf(after).size).toBe(nodesOf(after).length);
          const left = new Set(nodesOf(after).map((node) => node.id));
          const [top, note, extras] = unknownOf(after) as [unknown, unknown, [string, unknown][]];
          const [oldTop, oldNote, oldExtras] = unknownOf(before) as [unknown, unknown, [string, unknown][]];
          expect(top).toEqual(oldTop);
          expect(note).toEqual(oldNote);
          for (const [id, extra] of oldExtras)
            if (left.has(id)) expect(extras.find((each) => each[0] === id)?.[1]).toEqual(extra);
        }
        while (history.past.length > 0) history = undo(history);
        expect(history.now.flow).toBe(flow);
      }),
      { numRuns: 300 },
    );
  });
});

/* Every document of this format that the project has. */
function documents(): readonly (readonly [string, Flow])[] {
  const root = new URL('../../../../', import.meta.url).pathname;
  const files = ['tests/scenario', 'examples', 'examples/templates'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name)),
  );
  const found: (readonly [string, Flow])[] = [];
  const look = (file: string, value: Json | undefined, depth: number): void => {
    if (depth > 12) return;
    if (isList(value)) for (const item of value) look(file, item, depth + 1);
    if (!isObject(value)) return;
    const isFlow = typeof value['name'] === 'string' && (isList(value['nodes']) || isList(value['steps']));
    if (isFlow && openValue(value).kind === 'flow') found.push([file, value]);
    for (const member of Object.values(value)) look(file, member, depth + 1);
  };
  for (const file of files) {
    const outcome = parseJson(readFileSync(join(root, file), 'utf8'));
    if (outcome.ok) look(file, outcome.value, 0);
  }
  return found;
}

test('every flow of the project opens, comes out as it went in, and survives being edited', () => {
  const all = documents();
  expect(all.filter(([, flow]) => isSteps(flow)).length).toBeGreaterThan(50);
  for (const [file, flow] of all) {
    const read = parseFlow(printFlow(flow));
    expect(read.kind === 'flow' && JSON.stringify(read.flow), file).toBe(JSON.stringify(flow));
    // A label, set and set back, is the document again.
    const node = nodesOf(flow).find((each) => each.list === 'steps' || each.list === 'nodes');
    if (node === undefined) continue;
    const named = applyCommand(flow, { kind: 'setLabel', id: node.id, label: 'x y' }, 0);
    const back = applyCommand(named, { kind: 'setLabel', id: node.id, label: node.label }, 0);
    expect(JSON.stringify(back), file).toBe(JSON.stringify(flow));
    // A step, added on each line and taken away, leaves the lines as they were.
    for (const line of linesOf(flow).slice(0, 8)) {
      // Two lines with the same ends would become one, and a line over the border of a loop is no line of ours.
      const twins = linesOf(flow).filter((each) => each.from === line.from && each.to === line.to);
      const target = findNode(flow, line.to);
      const isOurs = target?.parent === findNode(flow, line.from)?.parent && line.from !== line.to;
      if (!isOurs || twins.length > 1) continue;
      const type = isSteps(flow) ? 'SERVICE_TASK' : 'action_email';
      const place = { kind: 'line', key: line.key } as const;
      const more = applyCommand(flow, { kind: 'addNode', type, label: 'New', config: {}, place }, 90000);
      const added = nodesOf(more).find((each) => findNode(flow, each.id) === undefined);
      const less = applyCommand(more, { kind: 'deleteNodes', ids: [added?.id ?? ''] }, 90000);
      // Their order counts among the lines of one step only.
      const ends = (each: Flow) =>
        linesOf(each)
          .map(({ from, to, condition }) => ({ from, to, condition }))
          .sort((one, two) => (one.from < two.from ? -1 : one.from > two.from ? 1 : 0));
      expect(ends(less), `${file}: ${line.key}`).toEqual(ends(flow));
    }
  }
});

describe('expressions', () => {
  test.each([
    ['#creditScore >= 700', 'all', [['{{ creditScore }}', 'gte', 700]]],
    ["status == 'APPROVED'", 'all', [['{{ status }}', 'eq', 'APPROVED']]],
    [
      'order.total > 10 && !trusted',
      'all',
      [
        ['{{ order.total }}', 'gt', 10],
        ['{{ trusted }}', 'is_false', undefined],
      ],
    ],
    [
      '(a == 1) or (b in ["x", "y"])',
      'any',
      [
        ['{{ a }}', 'eq', 1],
        ['{{ b }}', 'in', ['x', 'y']],
      ],
    ],
    ['${amount} <= limit', 'all', [['{{ amount }}', 'lte', '{{ limit }}']]],
    ['name startsWith "A"', 'all', [['{{ name }}', 'starts_with', 'A']]],
    ['len(items) > 0', 'all', [['{{ items }}', 'is_not_empty', undefined]]],
    ["'x' in $env", 'all', [['{{ x }}', 'exists', undefined]]],
    ['approved == true', 'all', [['{{ approved }}', 'is_true', undefined]]],
    [`say == 'it "is" \\'so\\''`, 'all', [['{{ say }}', 'eq', `it "is" 'so'`]]],
  ] as const)('%s', (text, join, rows) => {
    const read = rowsOfExpression(text);
    expect(read?.join).toBe(join);
    expect(read?.rows.map((row) => [row.left, row.op, row.right])).toEqual(rows);
  });

  test.each([
    'a && b || c',
    'len(items) > 2 * 3',
    'total + 1 > 5',
    'any(items, # > 1)',
    'a == null',
    'a == "{{ b }}"',
    'now() > x',
    'a.b.',
    '((a))) == 1',
    '"text" == a',
    'a == 12345678901234567890',
  ])('%s has no rows', (text) => expect(rowsOfExpression(text)).toBeNull());

  test('rows that are written and read are the same rows', () => {
    const anyRow: fc.Arbitrary<Row> = fc.record({
      left: fc.constantFrom('{{ a }}', '{{ order.total }}', '{{ items[0].price }}', '{{ x["a b"] }}'),
      op: fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with'),
      right: fc.oneof(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.string({ maxLength: 10 }).filter((text) => !text.includes('{{')),
        fc.constant('{{ limit }}'),
      ),
    });
    const anyAlone: fc.Arbitrary<Row> = fc.record({
      left: fc.constantFrom('{{ a }}', '{{ b }}'),
      op: fc.constantFrom('is_true', 'is_false', 'is_empty', 'is_not_empty', 'exists', 'not_exists'),
      right: fc.constant(undefined),
    });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyRow, anyAlone), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('all', 'any'),
        (rows, join) => {
          const read = rowsOfExpression(expressionOf({ join, rows }));
          expect(read?.rows).toEqual(rows);
          if (rows.length > 1) expect(read?.join).toBe(join);
        },
      ),
    );
  });
});

describe('values', () => {
  test.each([
    ['Hello', 'text', 'Hello'],
    ['${amount * 2}', 'formula', 'amount * 2'],
    ['Hi ${name}!', 'text', 'Hi ${name}!'],
    [12.5, 'number', '12.5'],
    [true, 'yesNo', 'true'],
  ] as const)('%j', (value, kind, word) => {
    expect(kindOfValue(value)).toBe(kind);
    expect(wordOfValue(value)).toBe(word);
    expect(valueOfKind(kind, word)).toEqual(value);
  });
});

test('what a step can use: the start, workers, people, set values, tables', () => {
  const flow: Flow = {
    id: 'x',
    name: 'X',
    input_schema: { properties: { amount: { type: 'number' } } },
    steps: [
      {
        id: 'a',
        name: 'A',
        type: 'SERVICE_TASK',
        outputs_schema: { properties: { receipt: { type: 'string' } } },
        nextStep: 'b',
      },
      { id: 'b', name: 'B', type: 'TRANSFORMATION', transformations: { fee: 3 }, nextStep: 'c' },
      { id: 'c', name: 'C', type: 'DECISION', conditionalNextSteps: { 'level == "gold"': 'd' } },
      { id: 'd', name: 'D', type: 'END' },
    ],
  };
  const names = (id: string) => dataAt(flow, id, TYPES).map((item) => [item.path[0], item.type]);
  expect(names('c')).toEqual([
    ['amount', 'number'],
    ['fee', 'number'],
    ['receipt', 'string'],
    ['level', 'string'],
  ]);
});

test("the engine's words for problems become the screen's, on the step they are about", () => {
  const placed = placeProblem(LOAN, {
    code: 'REQUIRED',
    message: 'step "check" (SERVICE_TASK): jobType is required',
    pointer: '/steps/0/jobType',
  });
  expect(placed).toMatchObject({
    nodeId: 'check',
    message: 'It does not say which kind of job a worker takes.',
  });
  expect(
    placeProblem(LOAN, { code: 'X', message: 'step "pay" is unreachable', pointer: '/steps/3' }).message,
  ).toBe('Is unreachable');
});
