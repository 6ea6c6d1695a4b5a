import { expect, test } from 'vitest';

import { missingWords } from './missing-words';

test('each kind of missing thing is a sentence with its name', () => {
  const at = { pointer: '/nodes/1', message: 'x' };
  expect(missingWords({ ...at, code: 'MISSING_CONNECTION', name: '--smtp' })).toBe(
    'The engine has no mail server.',
  );
  expect(missingWords({ ...at, code: 'MISSING_CONNECTION', name: 'db' })).toContain('connection “db”');
  expect(missingWords({ ...at, code: 'MISSING_SECRET', name: 'key' })).toContain('secret “key”');
  expect(missingWords({ ...at, code: 'MISSING_CALCULATION_NODE', name: 'gpu' })).toContain('“gpu”');
  expect(missingWords({ ...at, code: 'MISSING_WORKER', name: 'pay' })).not.toContain('node');
  const near = { ...at, code: 'MISSING_WORKER', name: 'pay', message: 'nobody polls at this node' } as const;
  expect(missingWords(near)).toContain('this node');
});
