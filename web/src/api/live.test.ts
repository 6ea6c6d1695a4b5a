// @vitest-environment jsdom
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { openLive, readChange, takeEvents } from './live';

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

describe('openLive', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /* A stream whose events the test says, and what was asked for again because of them. */
  const openStream = async () => {
    vi.useFakeTimers();
    let pipe: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (pipe = controller) });
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(body)));
    const Plain = Request;
    vi.stubGlobal(
      'Request',
      class extends Plain {
        constructor(input: string, init?: RequestInit) {
          super(new URL(input, 'http://localhost'), init);
        }
      },
    );
    const queries = new QueryClient();
    const asked: string[] = [];
    for (const id of ['goes', 'stays'])
      new QueryObserver(queries, {
        queryKey: ['definitions', id, 'details'],
        queryFn: () => asked.push(id),
        initialData: 0,
        staleTime: Infinity,
      }).subscribe(() => undefined);
    const live = openLive(['definitions'], queries);
    /* Says something, and lets the round pass in which it is asked for. */
    const say = async (event: string, data: unknown) => {
      pipe?.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      await vi.advanceTimersByTimeAsync(1000);
    };
    await say('ready', {});
    expect(live.state()).toBe('live');
    return { live, asked, say };
  };
  const gone = { kind: 'definitions', id: 'goes' };

  test('asks for what has changed', async () => {
    const { live, asked, say } = await openStream();
    await say('changed', gone);
    expect(asked).toEqual(['goes']);
    live.close();
  });

  test('asks for nothing while it is held, and then for what has changed meanwhile', async () => {
    const { live, asked, say } = await openStream();
    live.hold(true);
    await say('changed', gone);
    expect(asked).toEqual([]);
    live.hold(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['goes']);
    live.close();
  });

  test('asks for everything afterwards if events were missed while it was held', async () => {
    const { live, asked, say } = await openStream();
    live.hold(true);
    await say('reset', {});
    expect(asked).toEqual([]);
    live.hold(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['goes', 'stays']);
    live.close();
  });

  test('asks for nothing more when it was held until it is closed', async () => {
    const { live, asked, say } = await openStream();
    live.hold(true);
    await say('changed', gone);
    live.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toEqual([]);
  });
});
