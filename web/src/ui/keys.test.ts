import { expect, test, vi } from 'vitest';

import { bindingOf } from './keys';

const group = (title: string, key: string, run?: () => void) => ({
  title,
  bindings: [{ key, says: title, ...(run === undefined ? {} : { run }) }],
});

test('the page goes before the shell, and what is only listed runs nothing', () => {
  const [shell, page] = [vi.fn(), vi.fn()];
  expect(bindingOf('/', [group('shell', '/', shell), group('page', '/', page)])?.run).toBe(page);
  expect(bindingOf('/', [group('shell', '/', shell), group('page', '/')])?.run).toBe(shell);
  expect(bindingOf('x', [group('shell', '/', shell)])).toBeNull();
});
