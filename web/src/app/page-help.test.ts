import { expect, test } from 'vitest';

import { ROUTES } from './routes';
import { helpOf } from '../ui/page-help';

test('every page of the application has help', () => {
  for (const { pattern } of ROUTES) {
    const address = pattern.replace(/\/:[a-z]+\?/, '').replaceAll(/:[a-z]+/g, 'x') || '/';
    expect(helpOf(address), pattern).not.toBeNull();
  }
  expect(helpOf('/flows/a/compare')?.word).toBe('Flows');
  expect(helpOf('/flowsy')).toBeNull();
});
