/* pages/entities/workflow.ts — what a model's workflows say about a transition: where it leads, which fields its criterion asks
 * for, whether there is a way back. Which transitions can be fired now, the engine says. */
import { isList, isObject, type Json, memberOf, textMember } from '../../ui/form/json';
import { titleOfName } from '../../ui/form/schema';

export interface Transition {
  readonly name: string;
  /** The state it leads to; empty: the workflows do not tell. */
  readonly next: string;
  /** The engine makes it by itself as soon as its criterion holds. */
  readonly isAutomatic: boolean;
  /** Top-level fields that its criterion looks at. */
  readonly wants: readonly string[];
  /** No transition leads on from where it ends. */
  readonly isLast: boolean;
  /** It asks others to do something. */
  readonly doesWork: boolean;
}

function listOf(value: unknown, name: string): readonly Json[] {
  const list = memberOf(value, name);
  return isList(list) ? list : [];
}

const DEPTH_MAX = 50;

function pathsOf(criterion: unknown, depth = 0): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  const own = textMember(criterion, 'jsonPath');
  const name = own === undefined ? undefined : /^\$?\.?([^.[\]]+)/.exec(own)?.[1];
  return [
    ...(name === undefined ? [] : [name]),
    ...listOf(criterion, 'conditions').flatMap((inner) => pathsOf(inner, depth + 1)),
  ];
}

interface State {
  readonly workflow: Json;
  readonly transitions: readonly Json[];
}

/** The workflow that the entity is in: one that has the state and all these transitions. */
function stateOf(document: unknown, state: string, names: readonly string[]): State | null {
  const found = listOf(document, 'workflows').flatMap((workflow): State[] => {
    const states = memberOf(workflow, 'states');
    const own = memberOf(states, state);
    return isObject(own) ? [{ workflow, transitions: listOf(own, 'transitions') }] : [];
  });
  const has = (each: State) => {
    const own = new Set(each.transitions.map((one) => textMember(one, 'name')));
    return names.every((name) => own.has(name));
  };
  return found.find(has) ?? found[0] ?? null;
}

export function transitionsOf(
  document: unknown,
  state: string,
  names: readonly string[],
): readonly Transition[] {
  const found = stateOf(document, state, names);
  return names.map((name) => {
    const own = found?.transitions.find((each) => textMember(each, 'name') === name);
    const next = textMember(own, 'next') ?? '';
    const after = memberOf(memberOf(found?.workflow, 'states'), next);
    return {
      name,
      next,
      isAutomatic: own !== undefined && memberOf(own, 'manual') === false,
      wants: [...new Set(pathsOf(memberOf(own, 'criterion')))],
      isLast: isObject(after) && listOf(after, 'transitions').length === 0,
      doesWork: listOf(own, 'processors').length > 0,
    };
  });
}

/** A part of a model's schema: only these fields. */
export function schemaOf(schema: unknown, names: readonly string[]): unknown {
  const properties = memberOf(schema, 'properties');
  if (!isObject(schema) || !isObject(properties)) return schema;
  const kept = names.flatMap((name) => {
    const own = memberOf(properties, name);
    return own === undefined ? [] : [[name, own] as const];
  });
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** `SEND_BACK` reads "Send back". */
export function transitionWord(name: string): string {
  return name === name.toUpperCase() ? titleOfName(name.toLowerCase()) : titleOfName(name);
}
