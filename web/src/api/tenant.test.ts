import { expect, test } from 'vitest';

import { tenantBase, tenantOf } from './tenant';

test.each([
  ['/ui/', ''],
  ['/ui/runs/t/acme/', ''],
  ['/t/acme/ui/', 'acme'],
  ['/t/acme/ui/flows/t%2Fx', 'acme'],
  ['/t/acme', ''],
  ['/t//ui/', ''],
])('%s is about "%s"', (path, tenant) => expect(tenantOf(path)).toBe(tenant));

test('a tenant has its own address, and the way back', () => {
  expect(tenantBase('')).toBe('/ui');
  expect(tenantOf(`${tenantBase('acme-2')}/`)).toBe('acme-2');
});
