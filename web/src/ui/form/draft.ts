/* ui/form/draft.ts — whether a value that was kept is what controls hold. */
import type { Draft } from './fields';
import { isObject } from './json';

/** As deep as forms can be. */
const DEPTH_MAX = 32;

export function isDraft(value: unknown, depth = 0): value is Draft {
  if (typeof value === 'string') return true;
  if (depth === DEPTH_MAX) return false;
  if (Array.isArray(value)) return value.every((item) => isDraft(item, depth + 1));
  if (!isObject(value)) return false;
  if ('raw' in value) return typeof value['raw'] === 'string';
  return (
    isObject(value['members']) && Object.values(value['members']).every((item) => isDraft(item, depth + 1))
  );
}
