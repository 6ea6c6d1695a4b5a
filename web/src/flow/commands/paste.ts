/* flow/commands/paste.ts — copies of steps, from this window or another: new ids, and the lines among them. */
import type { Handler } from '../command';
import { type Flow, isStartType, startsOf } from '../flow';
import { formatOf, isStates, isSteps, type Part } from '../format';
import { isList, isObject, type Json, type JsonObject, textOf } from '../json';
import { newId } from '../new-id';
import { t } from '../../texts/flow';

/* Types of the steps format are written in capital letters. */
const isStep = (raw: JsonObject) => /^[A-Z_]+$/.test(textOf(raw['type']));

export const paste: Handler<'paste'> = {
  says: (_, { nodes }) => (nodes.length === 1 ? t.pastedAStep : t.pastedSteps(nodes.length)),
  refuses: (flow, { nodes }) => {
    const ids = nodes.map((raw) => textOf(raw['id']));
    if (nodes.length === 0) return t.thereIsNothingToPaste;
    if (ids.includes('') || new Set(ids).size < ids.length || nodes.some((raw) => textOf(raw['type']) === ''))
      return t.thatIsNoPart;
    if (isStates(flow)) return t.statesAreCopied;
    if (nodes.some((raw) => isStep(raw) !== isSteps(flow))) return t.thatIsAPart;
    return startsOf(flow).length > 0 &&
      nodes.every((raw) => isStartType(textOf(raw['type']))) &&
      nodes.length > 20
      ? t.thatIsTooManyStarts
      : null;
  },
  apply: (flow, { nodes, edges }, highest) => {
    const names = new Map(
      nodes.map((raw, i) => [textOf(raw['id']), newId(textOf(raw['type']), highest + 1 + i)]),
    );
    const format = formatOf(flow);
    const next = format.paste(flow, { nodes, edges }, names);
    // A document that cannot be drawn would lock the canvas.
    return format.whyNot(next) === null ? next : flow;
  },
};

/** The clipboard's text after a copy: steps with the lines among them. */
export const copyNodes = (flow: Flow, ids: readonly string[]): JsonObject =>
  formatOf(flow).copy(flow, new Set(ids));

/** The steps in a text from the clipboard; null: there are none. */
export function readPart(value: Json): Part | null {
  if (!isObject(value)) return null;
  const objects = (list: Json | undefined) => (isList(list) ? list.filter(isObject) : []);
  const nodes = objects(isList(value['nodes']) ? value['nodes'] : value['steps']);
  return nodes.length === 0 ? null : { nodes, edges: objects(value['edges']) };
}
