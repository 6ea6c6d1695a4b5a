/* flow/who.ts — people and groups that a flow names already: whoever names one again need not remember how it is written. Pure. */
import { type Flow, nodesOf } from './flow';
import { isList, isObject, type Json } from './json';

export type Whom = 'people' | 'groups';

const FIELDS: { readonly [K in Whom]: readonly string[] } = {
  people: ['assignees', 'assignee', 'candidateUsers'],
  groups: ['groups', 'candidateGroups'],
};

const textsOf = (value: Json | undefined): readonly string[] =>
  (isList(value) ? value : [value]).filter(
    (text): text is string => typeof text === 'string' && text !== '' && !text.includes('{{'),
  );

/** The people that the names of a field are for; null: nobody. */
export const whomOf = (field: string): Whom | null =>
  FIELDS.people.includes(field) ? 'people' : FIELDS.groups.includes(field) ? 'groups' : null;

/** Each name once, in the order of letters. */
export function whoIsNamed(flow: Flow, whom: Whom): readonly string[] {
  const names = new Set<string>();
  for (const { config } of nodesOf(flow)) {
    const { escalation } = config;
    const places = [config, ...(isList(escalation) ? escalation : [escalation])].filter(isObject);
    for (const place of places)
      for (const field of FIELDS[whom]) for (const name of textsOf(place[field])) names.add(name);
  }
  return [...names].sort((one, other) => one.localeCompare(other));
}
