/* flow/patch.ts — JSON Patch (RFC 6902), in which the engine writes its fixes. */
import { isList, isObject, isSame, type Json, type JsonObject, withMember } from './json';

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

const names = (pointer: string): readonly string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

const FAILED = Symbol('failed');
type Result = Json | undefined | typeof FAILED;

export function readPointer(document: Json, pointer: string): Json | undefined {
  let now: Json | undefined = document;
  for (const name of names(pointer)) {
    if (isList(now)) now = now[Number(name)];
    else if (isObject(now) && Object.hasOwn(now, name)) now = now[name];
    else return undefined;
  }
  return now;
}

/* Calls `change` with what stands at the path, and puts what it gives there; undefined takes it away. */
function edit(
  value: Json,
  path: readonly string[],
  isInsert: boolean,
  change: (old: Json | undefined) => Result,
): Result {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  if (isList(value)) {
    const index = name === '-' ? value.length : Number(name);
    if (!Number.isInteger(index) || index < 0 || index > value.length) return FAILED;
    const old = value[index];
    if (rest.length > 0) {
      if (old === undefined) return FAILED;
      const inner = edit(old, rest, isInsert, change);
      if (inner === FAILED || inner === undefined) return FAILED;
      return value.map((item, i) => (i === index ? inner : item));
    }
    const next = change(isInsert ? undefined : old);
    if (next === FAILED) return FAILED;
    if (isInsert)
      return next === undefined ? FAILED : [...value.slice(0, index), next, ...value.slice(index)];
    if (next === undefined) return value.filter((_, i) => i !== index);
    return value.map((item, i) => (i === index ? next : item));
  }
  if (!isObject(value)) return FAILED;
  const old = Object.hasOwn(value, name) ? value[name] : undefined;
  if (rest.length > 0 && old === undefined) return FAILED;
  const next = rest.length > 0 && old !== undefined ? edit(old, rest, isInsert, change) : change(old);
  return next === FAILED ? FAILED : withMember(value, name, next);
}

function applyOne(document: Json, { op, path, from, value }: PatchOperation): Result {
  const at = names(path);
  const put = (set: Json | undefined, isInsert: boolean) => edit(document, at, isInsert, () => set ?? FAILED);
  switch (op) {
    case 'add':
      return put(value, true);
    case 'replace':
      return edit(document, at, false, (old) => (old === undefined || value === undefined ? FAILED : value));
    case 'remove':
      return edit(document, at, false, (old) => (old === undefined ? FAILED : undefined));
    case 'test':
      return isSame(readPointer(document, path), value) ? document : FAILED;
    case 'copy':
      return put(readPointer(document, from ?? ''), true);
    case 'move': {
      const moved = readPointer(document, from ?? '');
      const without = edit(document, names(from ?? ''), false, (old) =>
        old === undefined ? FAILED : undefined,
      );
      if (moved === undefined || without === FAILED || without === undefined) return FAILED;
      return edit(without, at, true, () => moved);
    }
    default:
      return FAILED;
  }
}

/** The patched document; null if the patch does not fit. All of it is done or nothing. */
export function applyPatch(document: JsonObject, patch: readonly PatchOperation[]): JsonObject | null {
  let now: Json = document;
  for (const operation of patch) {
    const next = applyOne(now, operation);
    if (next === FAILED || next === undefined) return null;
    now = next;
  }
  return isObject(now) ? now : null;
}
