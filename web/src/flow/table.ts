/* flow/table.ts — the table of fields as GET /api/node-types answers it, and what a panel shows of a field: what the document says, else
 * what the engine takes in its place. contract/node-types.json is the same table; shown.test.ts compares with the engine. */
import type { NodeParam, NodeType, NodeTypes } from './data';
import type { Flow } from './flow';
import { isObject, type Json, type JsonObject } from './json';

export interface NodeTable {
  readonly types: NodeTypes;
  readonly stepTypes: readonly NodeType[];
  /** How runs live. */
  readonly settings: readonly NodeParam[];
  /** When a call is tried again. */
  readonly retry: readonly NodeParam[];
  /** Fields of a node beside its config. */
  readonly nodeFields: readonly NodeParam[];
}

export interface TableAnswer {
  readonly nodeTypes: readonly NodeType[];
  readonly stepTypes: readonly NodeType[];
  readonly settings: readonly NodeParam[];
  readonly retry: readonly NodeParam[];
  readonly nodeFields: readonly NodeParam[];
}

export const readTable = ({ nodeTypes, ...rest }: TableAnswer): NodeTable => ({
  ...rest,
  types: new Map(nodeTypes.map((type) => [type.type, type])),
});

const isGiven = (value: Json | undefined) => value !== undefined && value !== null;

/** The name by which the document has a field: some have two. A change belongs there. */
export function nameIn(param: NodeParam, object: JsonObject): string {
  const { name, otherName } = param;
  return otherName !== undefined && object[name] === undefined && object[otherName] !== undefined
    ? otherName
    : name;
}

/** The engine reads words in any case; the panel shows the table's. */
function inTableCase(param: NodeParam, value: Json): Json {
  if (param.kind !== 'choice' || typeof value !== 'string') return value;
  return param.words?.find((word) => word.toLowerCase() === value.toLowerCase()) ?? value;
}

/** The value that holds if the document does not have the field. */
export function defaultOf(
  param: NodeParam,
  params: readonly NodeParam[],
  object: JsonObject,
): Json | undefined {
  const by = params.find((each) => each.name === param.decidedBy);
  return by !== undefined && isGiven(object[nameIn(by, object)]) ? param.decided : param.default;
}

/** The document's value, in the table's spelling; undefined: nothing. */
export function givenOf(param: NodeParam, object: JsonObject): Json | undefined {
  const value = object[nameIn(param, object)];
  return value === undefined || value === null ? undefined : inTableCase(param, value);
}

/** The value that a panel shows for a field. */
export function shownOf(
  param: NodeParam,
  params: readonly NodeParam[],
  object: JsonObject,
): Json | undefined {
  return givenOf(param, object) ?? defaultOf(param, params, object);
}

/** Whether a field means something beside the others. */
export function isMeant(param: NodeParam, params: readonly NodeParam[], object: JsonObject): boolean {
  const only = param.onlyIf;
  const by = only === undefined ? undefined : params.find((each) => each.name === only.field);
  if (only === undefined || by === undefined) return true;
  const value = shownOf(by, params, object);
  return only.words.includes(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Where the document has a setting: in `settings`, or beside it. */
export function settingPlace(flow: Flow, name: string): readonly string[] {
  const settings = flow['settings'];
  const isInside = isObject(settings) && settings[name] !== undefined;
  return !isInside && flow[name] !== undefined ? [name] : ['settings', name];
}

/** All settings as one object, wherever they stand. */
export function settingsOf(flow: Flow, params: readonly NodeParam[]): JsonObject {
  const settings: JsonObject = isObject(flow['settings']) ? flow['settings'] : {};
  return Object.fromEntries(
    params.flatMap(({ name }) => {
      const value = settings[name] ?? flow[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
