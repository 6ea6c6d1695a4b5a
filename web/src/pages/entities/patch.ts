/* pages/entities/patch.ts — the merge patch (RFC 7396) that makes one document of another. A member that did not change is not sent, so
 * that numbers which this page cannot keep exactly stay as they are in the engine. */
import { isEqual, isObject, type Json, type JsonObject, memberOf } from '../../ui/form/json';

export function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(after).flatMap(([name, value]): (readonly [string, Json])[] => {
    const old = memberOf(before, name);
    if (value === undefined || isEqual(old, value)) return [];
    return [[name, isObject(old) && isObject(value) ? patchOf(old, value) : value]];
  });
  const gone = Object.entries(before).flatMap(([name, value]): (readonly [string, Json])[] =>
    value === undefined || value === null || memberOf(after, name) !== undefined ? [] : [[name, null]],
  );
  return Object.fromEntries([...changed, ...gone]);
}

/** The document that the engine makes of it. */
export function applyPatch(before: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map<string, Json | undefined>(isObject(before) ? Object.entries(before) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else if (value !== undefined) result.set(name, applyPatch(result.get(name) ?? null, value));
  }
  return Object.fromEntries(result);
}
