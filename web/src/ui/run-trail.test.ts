import { expect, test } from 'vitest';

import { parseTrail, placeIn } from './run-trail';

test('a run knows its neighbours in the list one came from', () => {
  const trail = { query: 'status=failed', ids: ['a', 'b', 'c'] };
  expect(placeIn(trail, 'b')).toEqual({ at: 2, count: 3, before: 'a', next: 'c', query: 'status=failed' });
  expect(placeIn(trail, 'a')?.before).toBeNull();
  expect(placeIn(trail, 'c')?.next).toBeNull();
  expect(placeIn(trail, 'x')).toBeNull();
  expect(placeIn(null, 'a')).toBeNull();
});

test.each([null, '', '{', '7', '[]', '{"query":1,"ids":[]}', '{"query":"","ids":"a"}'])(
  'a text that is not ours is no list: %s',
  (text) => {
    expect(parseTrail(text)).toBeNull();
  },
);

test('ids that are no texts are left out', () => {
  expect(parseTrail('{"query":"","ids":["a",1,null,"b"]}')).toEqual({ query: '', ids: ['a', 'b'] });
});
