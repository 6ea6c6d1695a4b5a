/* flow/commands/paste.ts — copies of steps, from this window or another: new ids, lines among them, and placeholders that
 * named a copied step name its copy. */
import type { Handler } from '../command';
import { addNodes } from '../edit';
import { findNode, type Flow, isStartType, nodesOf, startsOf } from '../flow';
import { isList, isObject, type Json, type JsonObject, withMember } from '../json';
import { hasPlaces } from '../layout';
import { renamePlaceholders } from '../template';
import { newId } from './add-node';

const SHIFT = 32;

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '');

function renamed(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return renamePlaceholders(value, names);
  if (isList(value)) return value.map((item) => renamed(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === undefined ? null : renamed(member, names),
    ]),
  );
}

function shifted(flow: Flow, raw: JsonObject): Json | undefined {
  const position = raw['position'];
  if (!hasPlaces(flow) || !isObject(position)) return undefined;
  const { x, y } = position;
  return typeof x === 'number' && typeof y === 'number' ? { x: x + SHIFT, y: y + SHIFT } : undefined;
}

export const paste: Handler<'paste'> = {
  says: (_, { nodes }) => (nodes.length === 1 ? 'Pasted a step' : `Pasted ${nodes.length} steps`),
  refuses: (flow, { nodes }) => {
    const ids = nodes.map((raw) => textOf(raw['id']));
    if (nodes.length === 0) return 'There is nothing to paste';
    if (ids.includes('') || new Set(ids).size < ids.length || nodes.some((raw) => textOf(raw['type']) === ''))
      return 'That is no part of a flow';
    return startsOf(flow).length > 0 &&
      nodes.every((raw) => isStartType(textOf(raw['type']))) &&
      nodes.length > 20
      ? 'That is too many starts'
      : null;
  },
  apply: (flow, { nodes, edges }, highest) => {
    const names = new Map(
      nodes.map((raw, i) => [textOf(raw['id']), newId(textOf(raw['type']), highest + 1 + i)]),
    );
    const copies = nodes.map((raw) => {
      const parent = textOf(raw['parent']);
      const own = { ...(renamed(raw, names) as JsonObject), id: names.get(textOf(raw['id'])) ?? '' };
      const home = names.get(parent) ?? (findNode(flow, parent)?.type === 'for_each' ? parent : undefined);
      return withMember(withMember(own, 'parent', home), 'position', shifted(flow, raw));
    });
    const next = addNodes(flow, copies);
    const lines = edges.flatMap((raw) => {
      const from = names.get(textOf(raw['from']));
      const to = names.get(textOf(raw['to']));
      if (from === undefined || to === undefined) return [];
      return [withMember({ ...(renamed(raw, names) as JsonObject), from, to }, 'id', undefined)];
    });
    const old = next['edges'];
    return lines.length === 0 ? next : { ...next, edges: [...(isList(old) ? old : []), ...lines] };
  },
};

/** What copying puts on the clipboard: steps with the lines among them. */
export function copyNodes(
  flow: Flow,
  ids: readonly string[],
): { readonly nodes: JsonObject[]; readonly edges: JsonObject[] } {
  const wanted = new Set(ids);
  const nodes = nodesOf(flow)
    .filter(
      (node) =>
        (wanted.has(node.id) || (node.parent !== null && wanted.has(node.parent))) && node.list === 'nodes',
    )
    .map((node) => node.raw);
  const copied = new Set(nodes.map((raw) => textOf(raw['id'])));
  const list = flow['edges'];
  const edges = (isList(list) ? list : [])
    .filter(isObject)
    .filter((raw) => copied.has(textOf(raw['from'])) && copied.has(textOf(raw['to'])));
  return { nodes, edges };
}
