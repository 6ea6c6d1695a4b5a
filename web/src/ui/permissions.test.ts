import { expect, test } from 'vitest';

import type { Me } from '../api/me';
import { mayOf } from './may';
import { PERMISSIONS, whoCan } from './permissions';

const ME: Me = {
  kind: 'user',
  name: 'ada',
  tenant: 'default',
  tenants: ['default'],
  roles: ['viewer'],
  groups: [],
  permissions: ['instances:read'],
};

test.each([
  ['instances:operate', 'An operator or an admin can do this.'],
  ['definitions:write', 'A builder or an admin can do this.'],
  ['access:admin', 'An admin can do this.'],
  ['global:admin', 'An admin of all tenants can do this.'],
] as const)('%s: %s', (permission, words) => expect(whoCan(permission)).toBe(words));

test('one may what the engine says, everybody may everything where nobody signs in', () => {
  expect(PERMISSIONS.filter(mayOf(ME))).toEqual(['instances:read']);
  expect(PERMISSIONS.filter(mayOf({ ...ME, kind: 'nobody', permissions: [] }))).toEqual(PERMISSIONS);
  expect(PERMISSIONS.filter(mayOf(null))).toEqual([]);
});
