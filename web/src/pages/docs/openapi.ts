/* pages/docs/openapi.ts — reads the engine's own description of its API: operations with what they take and give. Pure: anything that is
 * not as expected is left out, nothing throws. */
import { isList, isObject, type Json, type JsonObject, textOf } from '../../flow/json';

export interface Field {
  readonly name: string;
  readonly in: string;
  readonly isNeeded: boolean;
  readonly says: string;
}

export interface Content {
  readonly type: string;
  readonly example: Json | undefined;
}

export interface Reply {
  readonly status: string;
  readonly says: string;
  readonly content: Content | null;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly says: string;
  readonly fields: readonly Field[];
  readonly body: Content | null;
  readonly replies: readonly Reply[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const STEPS_MAX = 10;

/** The description of a member, wherever it is: `{"$ref": "#/components/…"}` leads there. */
function resolve(whole: Json, value: Json | undefined): JsonObject {
  let now = value;
  for (let step = 0; step < STEPS_MAX && isObject(now) && typeof now['$ref'] === 'string'; step++) {
    const path = now['$ref'].replace(/^#\//, '').split('/');
    now = path.reduce<Json | undefined>(
      (at, name) => (isObject(at) ? at[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      whole,
    );
  }
  return isObject(now) ? now : {};
}

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

function contentOf(whole: Json, value: Json | undefined): Content | null {
  if (!isObject(value)) return null;
  const [first] = Object.entries(value);
  if (first === undefined) return null;
  return { type: first[0], example: resolve(whole, first[1])['example'] };
}

function fieldsOf(whole: Json, lists: readonly (Json | undefined)[]): readonly Field[] {
  return lists.flatMap(listOf).map((each) => {
    const field = resolve(whole, each);
    return {
      name: textOf(field['name']),
      in: textOf(field['in']),
      isNeeded: field['required'] === true,
      says: textOf(field['description']),
    };
  });
}

function repliesOf(whole: Json, value: Json | undefined): readonly Reply[] {
  return Object.entries(isObject(value) ? value : {})
    .map(([status, each]) => {
      const reply = resolve(whole, each);
      return { status, says: textOf(reply['description']), content: contentOf(whole, reply['content']) };
    })
    .sort((one, other) => one.status.localeCompare(other.status));
}

/** All operations, in the order of the document. */
export function operationsOf(whole: Json): readonly Operation[] {
  const paths = isObject(whole) && isObject(whole['paths']) ? whole['paths'] : {};
  return Object.entries(paths).flatMap(([path, item]) => {
    const shared = resolve(whole, item);
    return METHODS.flatMap((method): Operation[] => {
      const operation = shared[method];
      if (!isObject(operation)) return [];
      const [tag] = listOf(operation['tags']);
      return [
        {
          id: textOf(operation['operationId']) || `${method} ${path}`,
          method: method.toUpperCase(),
          path,
          tag: textOf(tag) || 'other',
          summary: textOf(operation['summary']),
          says: textOf(operation['description']),
          fields: fieldsOf(whole, [shared['parameters'], operation['parameters']]),
          body: contentOf(whole, resolve(whole, operation['requestBody'])['content']),
          replies: repliesOf(whole, operation['responses']),
        },
      ];
    });
  });
}

/** Whether every word is somewhere in the operation, in capitals or not. */
export function operationFits(operation: Operation, words: string): boolean {
  const { method, path, summary, tag, id } = operation;
  const text = `${method} ${path} ${summary} ${tag} ${id}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Operations by tag, in the order in which tags come. */
export function byTag(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const group = groups.get(operation.tag);
    if (group === undefined) groups.set(operation.tag, [operation]);
    else group.push(operation);
  }
  return groups;
}
