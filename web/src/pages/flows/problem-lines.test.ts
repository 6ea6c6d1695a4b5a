import { expect, test } from 'vitest';

import { Problem } from '../../api/problem';
import { problemLines } from './problem-lines';

test('problems have their lines, and without any the message is shown', () => {
  const body = { problems: [{ line: 3, message: 'no name' }, { line: 0, message: 'no end' }, 7] };
  expect(problemLines(new Problem(400, '', 'refused', body))).toEqual(['Line 3: no name', 'no end', '']);
  expect(problemLines(new Problem(400, '', 'refused\n  twice', null))).toEqual(['refused', '  twice']);
  expect(problemLines(new Error('oops'))).toEqual(['oops']);
});
