import { describe, expect, test } from 'vitest';

import { readChange, takeEvents } from './live';

describe('takeEvents', () => {
  test('keeps what is not whole yet', () => {
    const { events, rest } = takeEvents('event: ready\ndata: {}\n\nevent: chan');
    expect(events).toEqual([{ event: 'ready', data: '{}' }]);
    expect(rest).toBe('event: chan');
  });

  test('joins the lines of one event and ignores comments and ids', () => {
    const { events } = takeEvents(': hello\r\nid: 3\r\nevent: changed\r\ndata: a\r\ndata: b\r\n\r\n');
    expect(events).toEqual([{ event: 'changed', data: 'a\nb' }]);
  });
});

describe('readChange', () => {
  test.each([
    ['{"kind":"tasks","id":"1"}', { kind: 'tasks', id: '1' }],
    ['{"kind":"tasks","many":true}', { kind: 'tasks' }],
    ['{"id":"1"}', null],
    ['not json', null],
  ])('%s', (data, expected) => expect(readChange(data)).toEqual(expected));
});
