import { expect, test } from 'vitest';

import type { EntityAuditEvent } from '../../api/entities';
import type { Picture } from '../../api/pictures';
import { auditEntries, diffOf, pathOf } from './audit-entries';
import { ownPicture } from './own-picture';
import { schemaOf, transitionsOf, transitionWord } from './workflow';

const DOCUMENT = {
  workflows: [
    {
      name: 'Old',
      states: { NEW: { transitions: [{ name: 'DROP', next: 'GONE', manual: true }] }, GONE: {} },
    },
    {
      name: 'Order',
      states: {
        NEW: {
          transitions: [
            {
              name: 'SHIP',
              next: 'SHIPPED',
              manual: true,
              criterion: {
                type: 'group',
                operator: 'AND',
                conditions: [
                  { type: 'simple', jsonPath: '$.paid', operatorType: 'EQUALS', value: true },
                  { type: 'simple', jsonPath: '$.address.zip', operatorType: 'NOT_NULL' },
                  { type: 'lifecycle', field: 'state', operatorType: 'EQUALS', value: 'NEW' },
                ],
              },
            },
            { name: 'AGE', next: 'NEW', manual: false, processors: [{ name: 'p' }] },
          ],
        },
        SHIPPED: {},
      },
    },
  ],
};

test('a transition tells where it leads, what it looks at and whether it is the last', () => {
  expect(transitionsOf(DOCUMENT, 'NEW', ['SHIP', 'AGE'])).toEqual([
    {
      name: 'SHIP',
      next: 'SHIPPED',
      isAutomatic: false,
      wants: ['paid', 'address'],
      isLast: true,
      doesWork: false,
    },
    { name: 'AGE', next: 'NEW', isAutomatic: true, wants: [], isLast: false, doesWork: true },
  ]);
  expect(transitionsOf(DOCUMENT, 'NEW', ['DROP'])[0]?.next).toBe('GONE');
  expect(transitionsOf(null, 'NEW', ['DROP'])).toEqual([
    { name: 'DROP', next: '', isAutomatic: false, wants: [], isLast: false, doesWork: false },
  ]);
  expect(transitionWord('SEND_BACK')).toBe('Send back');
  expect(transitionWord('sendBack')).toBe('Send back');
});

test('a form asks for some fields only', () => {
  expect(schemaOf({ type: 'object', properties: { a: { type: 'string' }, b: {} } }, ['b', 'no'])).toEqual({
    type: 'object',
    properties: { b: {} },
  });
});

const node = (id: string, title: string, x: number) => ({
  id, title, caption: 'State', kind: 'state' as const, type: 'STATE', x, y: 10, width: 100, height: 40, zone: null, isZone: false,
}); // prettier-ignore
const edge = (id: string, from: string, to: string, label: string) => ({
  id, from, to, label, kind: 'normal' as const, points: [[0, 0], [10, 10]], labelAt: null,
}); // prettier-ignore

test('the built-in workflow is not drawn beside others', () => {
  const picture: Picture = {
    definitionId: 'o.1',
    dialect: 'entity',
    left: 0,
    top: 0,
    width: 900,
    height: 400,
    start: null,
    isPlaced: false,
    nodes: [node('/O/A', 'A', 0), node('/O/B', 'B', 200), node('//NONE', 'NONE', 700)],
    edges: [edge('1', '/O/A', '/O/B', 'SHIP: $.paid EQUALS true'), edge('2', '//NONE', '//NONE', 'NEW')],
  };
  const own = ownPicture(picture, (state) => `${state}!`);
  expect(own.nodes.map(({ title, caption }) => [title, caption])).toEqual([
    ['A', 'A!'],
    ['B', 'B!'],
  ]);
  expect(own.edges.map(({ label }) => label)).toEqual(['SHIP']);
  expect([own.left, own.width]).toEqual([-24, 348]);
  const builtIn = { ...picture, nodes: [node('//NONE', 'NONE', 700)], edges: [] };
  expect(ownPicture(builtIn, () => '').nodes).toHaveLength(1);
});

const event = (eventType: 'STATE_MACHINE_START' | 'TRANSITION_MAKE', state: string, tx: string): EntityAuditEvent => ({
  auditEventType: 'StateMachine', eventType, severity: 'INFO', utcTime: '2026-01-01T00:00:00Z', microsTime: 0, entityId: 'e',
  transactionId: tx, actor: { id: 'Ada', name: 'Ada', legalId: '' }, state, details: `${eventType} in ${state}`, data: null,
}); // prettier-ignore
const change = (tx: string, changes: { before?: object; after?: object }): EntityAuditEvent => ({
  auditEventType: 'EntityChange', changeType: 'UPDATE', severity: 'INFO', utcTime: '2026-01-01T00:00:00Z', microsTime: 0,
  entityId: 'e', transactionId: tx, actor: { id: 'Ada', name: 'Ada', legalId: '' }, system: false, changes,
} as EntityAuditEvent); // prettier-ignore

test('the audit has an entry for each transaction, its lines in the order of time', () => {
  const events = [
    change('t2', { before: { a: 1 }, after: { a: 2 } }),
    event('TRANSITION_MAKE', 'B', 't2'),
    event('STATE_MACHINE_START', 'B', 't2'),
    change('t1', { before: {}, after: {} }),
    event('TRANSITION_MAKE', 'A', 't1'),
  ];
  const entries = auditEntries(events);
  expect(entries.map(({ transactionId, actor }) => [transactionId, actor])).toEqual([
    ['t2', 'Ada'],
    ['t1', 'Ada'],
  ]);
  expect(entries[0]?.lines.map(({ text }) => text)).toEqual([
    'STATE_MACHINE_START in B',
    'TRANSITION_MAKE in B',
    'Its data changed: a',
  ]);
  expect(entries[1]?.lines).toHaveLength(1);
  expect(pathOf(events, 'C')).toEqual({
    visited: new Set(['A', 'B', 'C']),
    taken: [
      ['A', 'B'],
      ['B', 'C'],
    ],
  });
});

test('differences are told by member', () => {
  expect(diffOf({ before: { a: 1, b: 2 }, after: { a: 3, c: 4 } }).map(({ op, name }) => op + name)).toEqual([
    '~a',
    '-b',
    '+c',
  ]);
  expect(diffOf(null)).toEqual([]);
});
