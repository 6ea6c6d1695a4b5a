import { expect, test } from 'vitest';

import { draftFits, draftName } from './draft-list';

test('a draft is found by a word inside of its name or id, in letters of either case', () => {
  const draft = { definitionId: 'laptop-2', name: 'A Laptop, please' };
  for (const word of ['laptop', 'PLEASE', 'top-2', '']) expect(draftFits(draft, word)).toBe(true);
  expect(draftFits(draft, 'phone')).toBe(false);
  expect(draftName({ definitionId: 'x' })).toBe('x');
});
