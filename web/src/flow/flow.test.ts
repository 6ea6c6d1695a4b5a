import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { openAnswers } from './answers';
import { anyFlow, anyJson } from './any-flow';
import { applyCommand, type Command, type Place, refusal } from './command';
import { conditionOf, isFaithful, OPERATORS, isAlone, type Row, rowsOf } from './condition';
import { parseCorrelation, printCorrelation } from './correlation';
import { dataAt, labelPath, type NodeTypes } from './data';
import { parseDuration, printDuration, sayDuration, UNITS } from './duration';
import {
  findNode,
  type Flow,
  highestId,
  isEndType,
  linesFrom,
  linesOf,
  nodesOf,
  parseFlow,
  printFlow,
} from './flow';
import { type Json, type JsonObject, parseJson, printJson } from './json';
import { placesOf } from './layout';
import { itemKey, outlineOf } from './outline';
import { applyPatch } from './patch';
import {
  onlyPath,
  parseTemplate,
  type Part,
  printPath,
  printTemplate,
  readInner,
  renamePlaceholders,
  templateOf,
} from './template';
import { walk } from './walk';

describe('JSON', () => {
  test('reads what it prints, and what JSON.stringify prints', () => {
    fc.assert(
      fc.property(anyJson(), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(parseJson(printJson(value))).toEqual({ ok: true, value: plain });
        expect(parseJson(JSON.stringify(value))).toEqual({ ok: true, value: plain });
      }),
    );
  });

  test('prints a part that it printed before as it prints a new one, at whatever depth', () => {
    fc.assert(
      fc.property(anyJson(), fc.boolean(), (value, isNested) => {
        printJson(value);
        const holder = isNested ? { a: [value, { b: value }] } : [value];
        printJson(holder);
        const copy = JSON.parse(JSON.stringify(holder)) as Json;
        expect(printJson(holder)).toBe(printJson(copy));
        expect(printJson(value)).toBe(printJson(JSON.parse(JSON.stringify(value)) as Json));
      }),
    );
  });

  test.each([
    ['{"a": 1,}', 1, 9],
    ['{\n "a" 1}', 2, 6],
    ['[1 2]', 1, 4],
    ['{"a": 1, "a": 2}', 1, 10],
    ['[12345678901234567890]', 1, 2],
    ['[1e999]', 1, 2],
    ['"a\nb"', 1, 3],
    ['', 1, 1],
    ['{} x', 1, 4],
    ['['.repeat(200), 1, 101],
  ])('%s has its mistake at its place', (text, line, column) => {
    const outcome = parseJson(text);
    expect(outcome.ok ? null : [outcome.mistake.line, outcome.mistake.column]).toEqual([line, column]);
  });

  test.each(['0.1', '1e21', '-0.5', '123456789012345', '9007199254740993'])('keeps or refuses %s', (text) => {
    const outcome = parseJson(text);
    if (outcome.ok) expect(outcome.value).toBe(Number(text));
    else expect(text).toBe('9007199254740993');
  });

  test('a member called __proto__ is a member', () => {
    const outcome = parseJson('{"__proto__": {"x": 1}}');
    expect(outcome.ok && printJson(outcome.value, ' ')).toBe('{ "__proto__": { "x": 1 } }');
  });
});

describe('documents', () => {
  test('order and unknown members are kept', () => {
    fc.assert(
      fc.property(anyFlow(), (flow) => {
        const read = parseFlow(printFlow(flow));
        expect(read.kind === 'flow' && JSON.stringify(read.flow)).toBe(JSON.stringify(flow));
      }),
    );
  });

  test.each([
    ['{"dialect": "serverless/1", "do": []}', 'other'],
    ['{"nodes": [{"id": "a"}]}', 'other'],
    ['{"nodes": [{"id": "a", "type": "end"}, {"id": "a", "type": "end"}]}', 'other'],
    ['{"nodes": [{"id": "a", "type": "end"}], "edges": [{"from": ["a", "out"], "to": "b"}]}', 'other'],
    ['[]', 'other'],
    ['{', 'broken'],
    ['{"nodes": []}', 'flow'],
  ])('%s is %s', (text, kind) => expect(parseFlow(text).kind).toBe(kind));

  test('a trigger in the list has its fields at the top and its line in `entry`', () => {
    const flow: Flow = {
      triggers: [{ id: 'hook', type: 'http', path: '/x', entry: 'e' }],
      nodes: [{ id: 'e', type: 'end' }],
    };
    expect(findNode(flow, 'hook')?.config).toEqual({ path: '/x' });
    expect(linesOf(flow).map((line) => line.key)).toEqual(['hook:out>e']);
    const moved = applyCommand(flow, { kind: 'setField', id: 'hook', path: ['path'], value: '/y' }, 0);
    expect(moved['triggers']).toEqual([{ id: 'hook', type: 'http', path: '/y', entry: 'e' }]);
  });
});

const START: Flow = {
  nodes: [
    { id: 'start_1', type: 'trigger_manual', label: 'Start' },
    { id: 'end_2', type: 'end', label: 'End' },
  ],
  edges: [{ from: 'start_1', to: 'end_2' }],
};
const lineNames = (flow: Flow) => linesOf(flow).map((line) => line.key);
const does = (flow: Flow, command: Command) => applyCommand(flow, command, 10);
const doesNext = (flow: Flow, command: Command) => applyCommand(flow, command, highestId(flow));

test('a step that waits gets an event of its own, which starts nothing', () => {
  const flow: Flow = {
    nodes: [
      { id: 's', type: 'trigger_manual' },
      { id: 'w', type: 'wait_event' },
    ],
    edges: [{ from: 's', to: 'w' }],
  };
  const next = applyCommand(
    flow,
    { kind: 'waitFor', id: 'w', type: 'trigger_webhook', label: 'Answer arrives' },
    10,
  );
  expect(findNode(next, 'w')?.config).toEqual({ trigger: 'start_11' });
  expect(findNode(next, 'start_11')?.config).toEqual({ onMatch: 'MapOrDiscard' });
  expect(linesOf(next)).toHaveLength(1);
  expect(refusal(flow, { kind: 'waitFor', id: 's', type: 'trigger_webhook', label: '' })).not.toBeNull();
});

test.each([
  ['$.order_id', 'order_id'],
  ['$.body.number', 'number'],
  ['$["order id"]', 'order id'],
  ['$topic[1]', null],
  ['$.a.b', null],
  ['fixed', null],
])('%s belongs together by %s', (path, field) => {
  expect(parseCorrelation(path)).toBe(field);
  if (field !== null) expect(parseCorrelation(printCorrelation(field))).toBe(field);
});

describe('commands', () => {
  test('a step on a line stands between both', () => {
    const next = does(START, {
      kind: 'addNode',
      type: 'human_task',
      label: 'Ask',
      config: {},
      place: { kind: 'line', key: 'start_1:out>end_2' },
    });
    expect(lineNames(next)).toEqual(['start_1:out>ask_11', 'ask_11:out>end_2']);
  });

  test('a reminder asks again', () => {
    const asked = does(START, {
      kind: 'addNode',
      type: 'human_task',
      label: 'Ask',
      config: {},
      place: { kind: 'after', node: 'start_1' },
    });
    const next = does(asked, {
      kind: 'addNode',
      type: 'action_email',
      label: 'Remind',
      config: {},
      place: { kind: 'port', node: 'ask_11', port: 'timeout' },
    });
    expect(lineNames(next)).toContain('ask_11:timeout>email_11');
    expect(lineNames(next)).toContain('email_11:out>ask_11');
  });

  test('a way of a decision meets the usual way, and the usual way is the default', () => {
    const decided = does(START, {
      kind: 'addNode',
      type: 'decision',
      label: 'Large?',
      config: {},
      place: { kind: 'after', node: 'start_1' },
    });
    expect(linesOf(decided).at(-1)).toMatchObject({ from: 'decision_11', to: 'end_2', isDefault: true });
    const next = does(decided, {
      kind: 'addNode',
      type: 'human_task',
      label: 'Ask',
      config: {},
      place: { kind: 'after', node: 'decision_11' },
    });
    expect(lineNames(next)).toContain('ask_11:out>end_2');
  });

  test('Split & Wait comes with the place where its ways meet', () => {
    const next = does(START, {
      kind: 'addNode',
      type: 'parallel',
      label: 'Split',
      config: {},
      place: { kind: 'after', node: 'start_1' },
    });
    expect(lineNames(next)).toEqual(['start_1:out>split_11', 'split_11:out>split_12', 'split_12:out>end_2']);
    const more = does(next, {
      kind: 'addNode',
      type: 'delay',
      label: 'Wait',
      config: {},
      place: { kind: 'after', node: 'split_11' },
    });
    expect(lineNames(more)).toContain('wait_11:out>split_12');
  });

  test('deleting a step heals the line', () => {
    const next = does(START, {
      kind: 'addNode',
      type: 'delay',
      label: 'Wait',
      config: {},
      place: { kind: 'after', node: 'start_1' },
    });
    expect(lineNames(does(next, { kind: 'deleteNodes', ids: ['wait_11'] }))).toEqual(['start_1:out>end_2']);
  });

  test('a loop can be put round a step and taken away', () => {
    const next = does(START, {
      kind: 'addNode',
      type: 'delay',
      label: 'Wait',
      config: {},
      place: { kind: 'after', node: 'start_1' },
    });
    const looped = does(next, { kind: 'wrapInLoop', ids: ['wait_11'], label: 'Each' });
    expect(lineNames(looped)).toEqual(['start_1:out>each_11', 'each_11:body>wait_11', 'each_11:done>end_2']);
    expect(lineNames(does(looped, { kind: 'unwrapLoop', id: 'each_11' }))).toEqual([
      'start_1:out>wait_11',
      'wait_11:out>end_2',
    ]);
  });

  test('renaming an answer keeps its line; an answer that goes takes it along', () => {
    const flow: Flow = {
      nodes: [
        { id: 's', type: 'trigger_manual' },
        { id: 'a', type: 'human_task', config: { decisions: ['yes', 'no'] } },
        { id: 'e', type: 'end' },
      ],
      edges: [
        { from: 's', to: 'a' },
        { from: 'a', fromPort: 'yes', to: 'e' },
        { from: 'a', fromPort: 'no', to: 'e' },
      ],
    };
    expect(lineNames(does(flow, { kind: 'setDecisions', id: 'a', decisions: ['fine', 'no'] }))).toEqual([
      's:out>a',
      'a:fine>e',
      'a:no>e',
    ]);
    expect(lineNames(does(flow, { kind: 'setDecisions', id: 'a', decisions: ['no'] }))).toEqual([
      's:out>a',
      'a:no>e',
    ]);
  });

  const ask = (place: Place) =>
    ({
      kind: 'addNode',
      type: 'human_task',
      label: 'Ask',
      config: { decisions: ['yes', 'no'] },
      place,
    }) as const;

  test('a person on a line has a line for each answer: the first goes on, the others end', () => {
    const work = does(START, {
      kind: 'addNode',
      type: 'action_email',
      label: 'Tell',
      config: {},
      place: { kind: 'after', node: 'start_1' },
    });
    const asked = doesNext(work, ask({ kind: 'after', node: 'start_1' }));
    const lines = ['start_1:out>ask_12', 'ask_12:yes>email_11', 'ask_12:no>end_13'];
    expect(lineNames(asked)).toEqual(expect.arrayContaining(lines));
    const third = doesNext(asked, { kind: 'setDecisions', id: 'ask_12', decisions: ['yes', 'no', 'later'] });
    expect(lineNames(third)).toContain('ask_12:later>end_13');
    const free = doesNext(asked, { kind: 'setDecisions', id: 'ask_12', decisions: [] });
    expect(lineNames(free)).toContain('ask_12:out>email_11');
    expect(findNode(free, 'end_13')).toBeUndefined();
    expect(lineNames(doesNext(asked, { kind: 'deleteNodes', ids: ['ask_12'] }))).toEqual(lineNames(work));
  });

  test.each([
    ['two answers', ['yes', 'no'], true],
    ['answers that only a run knows', '{{ trigger.payload.options }}', true],
    ['an answer that only a run knows', ['{{ trigger.payload.option }}'], true],
    ['one answer', ['yes'], false],
    ['any answer', undefined, false],
  ])(
    'the usual line of a person with %s is the one for all others: the engine wants it marked',
    (_, decisions, isRest) => {
      const flow: Flow = {
        nodes: [
          { id: 's', type: 'trigger_manual' },
          { id: 'a', type: 'human_task', config: decisions === undefined ? {} : { decisions } },
          { id: 'e', type: 'end' },
        ],
        edges: [{ from: 's', to: 'a' }],
      };
      const rest = (next: Flow) => linesFrom(next, 'a').find((line) => line.port === 'out');
      const connected = does(flow, { kind: 'connect', from: 'a', port: 'out', to: 'e' });
      expect(rest(connected)).toMatchObject({ to: 'e', isDefault: isRest });
      const place: Place = { kind: 'port', node: 'a', port: 'out' };
      const added = does(flow, { kind: 'addNode', type: 'end', label: 'End', config: {}, place });
      expect(rest(added)).toMatchObject({ isDefault: isRest });
      for (const next of [connected, added]) {
        const node = findNode(next, 'a');
        expect(node === undefined ? ['lost'] : openAnswers(next, node)).toEqual([]);
      }
    },
  );

  test('an answer never goes on by itself, wherever a person is put', () => {
    fc.assert(
      fc.property(anyFlow(), fc.nat(30), fc.nat(3), (flow, at, kind) => {
        const nodes = nodesOf(flow);
        const line = linesOf(flow)[at % Math.max(1, linesOf(flow).length)];
        const node = nodes[at % nodes.length]?.id ?? '';
        const places: readonly Place[] = [
          { kind: 'line', key: line?.key ?? '' },
          { kind: 'after', node },
          { kind: 'port', node, port: 'timeout' },
          { kind: 'inside', loop: node },
        ];
        const command = ask(places[kind] ?? { kind: 'after', node });
        fc.pre(refusal(flow, command) === null && !isEndType(findNode(flow, node)?.type ?? ''));
        const next = applyCommand(flow, command, 100);
        const added = findNode(next, 'ask_101');
        expect(added === undefined ? ['lost'] : openAnswers(next, added)).toEqual([]);
      }),
    );
  });

  test('placeholders of pasted steps name the copies', () => {
    const nodes = [
      { id: 'a', type: 'human_task' },
      { id: 'b', type: 'action_email', config: { body: 'x {{ nodes.a.decision | json }} \\{{' } },
    ];
    const next = does(START, { kind: 'paste', nodes, edges: [{ from: 'a', to: 'b' }] });
    expect(findNode(next, 'email_12')?.config['body']).toBe('x {{ nodes.ask_11.decision | json }} \\{{');
  });

  test.each<[string, Command]>([
    ['A flow needs its start', { kind: 'deleteNodes', ids: ['start_1'] }],
    ['Nothing leads to a start', { kind: 'connect', from: 'start_1', port: 'out', to: 'start_1' }],
    ['Nothing follows an end', { kind: 'connect', from: 'end_2', port: 'out', to: 'end_2' }],
    ['They are connected already', { kind: 'connect', from: 'start_1', port: 'out', to: 'end_2' }],
    ['A start or an end cannot be repeated', { kind: 'wrapInLoop', ids: ['end_2'], label: '' }],
    [
      'The flow has changed meanwhile',
      { kind: 'applyFix', label: '', patch: [{ op: 'test', path: '/name', value: 'x' }] },
    ],
  ])('%s', (why, command) => expect(refusal(START, command)).toBe(why));
});

describe('templates', () => {
  test('reading and printing changes no text', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '{{',
        '}}',
        '\\',
        '{',
        '}',
        '"',
        "'",
        '{{ a.b }}',
        '{{{ a.b }}}',
        '\\{{',
        ' | default("}}") ',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join('')),
        (text) => {
          expect(printTemplate(parseTemplate(text))).toBe(text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('pills and text come back as they were', () => {
    const text = fc.string({ minLength: 1 }).filter((each) => !/[\\{]$/.test(each));
    const pill = fc.constantFrom(
      ' nodes.a.b ',
      'trigger.payload["a }} b"]',
      ' vars.x | default("{{") ',
      '{ vars.x }',
      '{ vars["a }}} b"] | json }',
    );
    const parts = fc.array(
      fc.oneof(
        text.map((each): Part => ({ kind: 'text', text: each })),
        pill.map((inner): Part => ({ kind: 'pill', inner })),
      ),
    );
    const joined = parts.filter((list) =>
      list.every((part, i) => part.kind !== 'text' || list[i + 1]?.kind !== 'text'),
    );
    fc.assert(
      fc.property(joined, (list) => {
        expect(parseTemplate(printTemplate(list))).toEqual(list);
      }),
    );
  });

  test('a pill with three braces keeps them', () => {
    expect(readInner('{ nodes.a.b | json }')).toEqual({ path: ['nodes', 'a', 'b'], filters: '| json' });
    expect(renamePlaceholders('x {{{ nodes.a.b }}}}', new Map([['a', 'z']]))).toBe('x {{{ nodes.z.b }}}}');
    expect(parseTemplate('{{{ a }}')).toEqual([{ kind: 'broken', raw: '{{{ a }}' }]);
  });

  test('a path is read as it was printed', () => {
    const step = fc.oneof(fc.string(), fc.nat(99));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), (rest) => {
        const path = ['nodes', ...rest];
        expect(readInner(` ${printPath(path)} `)?.path).toEqual(path);
        expect(onlyPath(templateOf(path))).toEqual(path);
      }),
    );
  });
});

describe('conditions', () => {
  const row: fc.Arbitrary<Row> = fc
    .record({
      left: fc.constantFrom('{{ vars.a }}', '{{ nodes.b.decision }}', 3),
      op: fc.constantFrom(...OPERATORS),
      right: anyJson(),
    })
    .map(({ left, op, right }) => ({ left, op, right: isAlone(op) ? undefined : right }));

  test('rows become a condition and rows again', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 4 }),
        fc.constantFrom('all' as const, 'any' as const),
        (rows, join) => {
          const wanted = rows.length === 0 ? { join: 'all', rows } : { join, rows };
          expect(rowsOf(conditionOf({ join, rows }))).toEqual(wanted);
        },
      ),
    );
  });

  test('a condition is shown by rows or left alone', () => {
    fc.assert(
      fc.property(anyJson(), (value) => {
        expect(isFaithful(value)).toBe(true);
      }),
    );
    expect(rowsOf({ not: { left: 1, op: 'eq', right: 1 } })).toBeNull();
    expect(rowsOf({ all: [{ any: [] }] })).toBeNull();
    expect(rowsOf('a > 1')).toBeNull();
    expect(rowsOf({ left: 1, op: 'eq', right: 2, note: 'kept' })).toBeNull();
  });
});

describe('durations', () => {
  test('a number and a unit come back', () => {
    fc.assert(
      fc.property(fc.nat(999_999), fc.constantFrom(...UNITS), (count, unit) => {
        expect(parseDuration(printDuration({ count, unit }))).toEqual({ count, unit });
      }),
    );
  });
  test.each([
    ['2d', '2 days'],
    ['1h30m', '1 hour 30 minutes'],
    ['P1D', '1 day'],
    ['{{ x }}', '{{ x }}'],
    ['500ms', '500 milliseconds'],
  ])('%s reads %s', (text, words) => expect(sayDuration(text)).toBe(words));
});

describe('outline', () => {
  test('every step stands in it once and every line is in it or leads on', () => {
    fc.assert(
      fc.property(anyFlow(), (flow) => {
        const items = outlineOf(flow);
        const steps = items.flatMap((item) => (item.kind === 'node' ? [item.id] : []));
        expect([...steps].sort()).toEqual(
          nodesOf(flow)
            .map((node) => node.id)
            .sort(),
        );
        const keys = items.map(itemKey);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test('ways nest, and go on where they meet', () => {
    const flow: Flow = {
      nodes: ['s', 'd', 'a', 'b', 'm'].map((id) => ({
        id,
        type: id === 's' ? 'trigger_manual' : id === 'd' ? 'decision' : 'delay',
      })),
      edges: [
        ['s', 'd'],
        ['d', 'a'],
        ['d', 'b'],
        ['a', 'm'],
        ['b', 'm'],
      ].map(([from, to]) => ({ from, to })),
    };
    expect(outlineOf(flow).map((item) => `${item.depth}${itemKey(item)}`)).toEqual([
      '0n:s', '0n:d', '1l:d:out>a', '2n:a', '1l:d:out>b', '2n:b', '0n:m',
    ]); // prettier-ignore
  });

  test('a chain of thousands is no deeper than one of three', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => `n${i}`);
    const flow: Flow = {
      nodes: ids.map((id, i) => ({ id, type: i === 0 ? 'trigger_manual' : 'delay' })),
      edges: ids.slice(1).map((id, i) => ({ from: `n${i}`, to: id })),
    };
    expect(outlineOf(flow)).toHaveLength(3000);
    expect(placesOf(flow).get('n2999')?.x).toBe(0);
  });
});

describe('walk', () => {
  test('arrows lead to steps that are there, and next of before is among the ways', () => {
    fc.assert(
      fc.property(
        anyFlow(),
        fc.nat(20),
        fc.constantFrom('next' as const, 'before' as const, 'up' as const, 'down' as const),
        (flow, at, direction) => {
          const id = nodesOf(flow)[at % nodesOf(flow).length]?.id ?? '';
          const to = walk(flow, id, direction);
          if (to !== null) expect(findNode(flow, to)).toBeDefined();
        },
      ),
    );
  });
});

describe('places', () => {
  test('another start stands beside the first one, not beyond all branches', () => {
    const flow: Flow = {
      nodes: [
        { id: 's', type: 'trigger_manual' },
        { id: 'd', type: 'decision' },
        { id: 'a', type: 'end' },
        { id: 'b', type: 'end' },
        { id: 'c', type: 'end' },
        { id: 'other', type: 'trigger_webhook' },
        { id: 'late', type: 'trigger_webhook' },
      ],
      edges: [
        { from: 's', to: 'd' },
        ...['a', 'b', 'c'].map((to) => ({ from: 'd', to })),
        { from: 'other', to: 'd' },
        { from: 'late', to: 'c' },
      ],
    };
    const places = placesOf(flow);
    const columns = ['s', 'a', 'b', 'c', 'other', 'late'].map((id) => (places.get(id)?.x ?? -1) / 288);
    // The line of the last one goes down beside all that it passes.
    expect(columns).toEqual([0, 0, 1, 2, 1, 2]);
  });

  test('without places of its own no two steps of a flow overlap', () => {
    fc.assert(
      fc.property(anyFlow(), (flow) => {
        const bare: Flow = {
          ...flow,
          nodes: nodesOf(flow)
            .filter((node) => node.list === 'nodes')
            .map(({ raw }) => ({ ...raw, position: null })),
        };
        const rects = [...placesOf(bare).values()];
        rects.forEach((a, i) =>
          rects.slice(i + 1).forEach((b) => {
            expect(
              a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
            ).toBe(false);
          }),
        );
      }),
    );
  });
});

describe('patches', () => {
  test.each([
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/1', value: 9 }], { a: [1, 9, 2] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 9 }], { a: [1, 9] }],
    [{ a: 1 }, [{ op: 'remove', path: '/a' }], {}],
    [{ 'a/b': 1 }, [{ op: 'replace', path: '/a~1b', value: null }], { 'a/b': null }],
    [{ a: { x: 1 } }, [{ op: 'move', from: '/a/x', path: '/y' }], { a: {}, y: 1 }],
    [{ a: 1 }, [{ op: 'copy', from: '/a', path: '/b' }], { a: 1, b: 1 }],
    [{ a: 1 }, [{ op: 'remove', path: '/b' }], null],
    [{ a: 1 }, [{ op: 'add', path: '/b/c', value: 1 }], null],
    [{ a: 1 }, [{ op: 'add', path: '', value: 1 }], null],
  ])('%j with %j', (document, patch, expected) => expect(applyPatch(document, patch)).toEqual(expected));
});

describe('data', () => {
  const types: NodeTypes = new Map([
    ['human_task', { type: 'human_task', label: 'Ask', category: '', kind: '', ports: [], params: [], outputs: [{ name: 'decision', label: 'Answer', type: 'string' }, { name: 'payload', label: 'Form', type: 'object' }] }],
  ]); // prettier-ignore
  const ask = (id: string, label: string) => ({
    id,
    type: 'human_task',
    label,
    config: { decisions: ['yes'], formSchema: { properties: { note: { type: 'string', title: 'Note' } } } },
  });
  const flow: Flow = {
    settings: { inputSchema: { properties: { whoAsks: { type: 'string' } } } },
    variables: { limit: 3 },
    nodes: [
      { id: 's', type: 'trigger_manual' },
      ask('a', 'Ask Ann'),
      ask('b', 'Ask Bob'),
      { id: 'e', type: 'end' },
    ],
    edges: [
      { from: 's', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'e' },
    ],
  };

  test('a step can use what comes before it, and its lines what it gives', () => {
    const names = (withOwn: boolean) => dataAt(flow, 'b', types, withOwn).map((item) => item.path.join('.'));
    expect(names(false)).toEqual([
      'trigger.payload.whoAsks',
      'nodes.a.decision',
      'nodes.a.payload.note',
      'vars.limit',
    ]);
    expect(names(true)[0]).toBe('nodes.b.decision');
  });

  test('an action gives what its output keeps, and nothing else', () => {
    const output = { name: 'output', label: 'Keep', kind: 'map', required: false, template: true };
    const call = { type: 'action_http', label: 'Call', category: '', kind: 'action', ports: [], params: [output], outputs: [{ name: 'body', label: 'Answer', type: 'any' }] }; // prettier-ignore
    const known = new Map([...types, ['action_http', call]]);
    const names = (config: JsonObject) =>
      dataAt(
        { nodes: [{ id: 'a', type: 'action_http', config }, ask('b', 'B')], edges: [{ from: 'a', to: 'b' }] },
        'b',
        known,
      ).map((item) => item.path.join('.'));
    expect(names({})).toEqual(['nodes.a.body']);
    expect(names({ output: { orderId: '{{ result.body.id }}' } })).toEqual(['nodes.a.orderId']);
    expect(names({ output: '{{ result.body }}' })).toEqual(['nodes.a.body']);
  });

  test('names are those of people', () => {
    expect(labelPath(flow, ['trigger', 'payload', 'whoAsks'], types).label).toBe('Who asks');
    expect(labelPath(flow, ['nodes', 'a', 'decision'], types).label).toBe('Answer of Ask Ann');
    expect(labelPath(flow, ['nodes', 'x', 'body', 'order_id'], types).label).toBe('Order id');
  });
});

test('other words for a type mean the same step, and stay as they were written', () => {
  const text =
    '{"dialect": "graph/1", "nodes": [{"id": "a", "type": "trigger_schedule"}, {"id": "b", "type": "trigger_http"}]}';
  const parsed = parseJson(text);
  const flow = (parsed.ok ? parsed.value : {}) as Flow;
  expect(nodesOf(flow).map(({ type }) => type)).toEqual(['trigger_cron', 'trigger_webhook']);
  expect(printFlow(flow)).toContain('trigger_schedule');
});
