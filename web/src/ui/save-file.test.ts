import { expect, test } from 'vitest';

import { fileName } from './save-file';

test.each([
  ['INV-1.scenario.json', 'INV-1.scenario.json'],
  ['<img src=x onerror=alert(1)>.scenario.json', 'img-src-x-onerror-alert-1-.scenario.json'],
  ['../../etc/passwd.json', 'etc-passwd.json'],
  ['Rechnung für Ä.json', 'Rechnung-für-Ä.json'],
])('%s is saved as %s', (name, expected) => {
  expect(fileName(name)).toBe(expected);
});

test('a long name keeps its end', () => {
  expect(fileName(`${'x'.repeat(300)}.scenario.json`)).toMatch(/^x+\.scenario\.json$/);
});
