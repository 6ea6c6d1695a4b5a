import { expect, test } from 'vitest';

import { isMadeFrom, ownId, slugOf, underId } from './under-id';

test.each([
  ['Leave request', 'leave-request'],
  ['  Über 1.000 € ', 'uber-1-000'],
  ['مرحبا', 'flow'],
])('%s becomes %s', (name, id) => {
  expect(slugOf(name)).toBe(id);
  expect(isMadeFrom(id, name)).toBe(true);
  expect(isMadeFrom(`${id}-2`, name)).toBe(true);
  expect(isMadeFrom(`${id}-x`, name)).toBe(false);
});

test('a flow is put under another id, whatever its format', () => {
  const graph = { dialect: 'graph/1', definitionId: 'a', name: 'A', nodes: [], edges: [] };
  expect(underId(graph, 'b')).toMatchObject({ definitionId: 'b', name: 'A' });
  const steps = { id: 'a', name: 'A', steps: [{ id: 'end', name: 'End', type: 'END' }] };
  expect(underId(steps, 'b')).toMatchObject({ id: 'b', name: 'A' });
  expect(underId('no flow', 'b')).toBe('no flow');
  expect(ownId({ id: 'a' })).toBe('a');
  expect(ownId({ id: 'no id' })).toBeNull();
});
