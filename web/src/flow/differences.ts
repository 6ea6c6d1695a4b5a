/* flow/differences.ts — how two versions of a flow differ, in the names of their steps. Places do not count. Pure. */
import { t } from '../texts/flow';
import { type Flow, type FlowNode, linesOf, nodesOf } from './flow';
import { isSame, type Json, withMember } from './json';

const NAMES_MAX = 5;

const nameOf = (node: FlowNode) => `“${node.label === '' ? node.id : node.label}”`;

function names(nodes: readonly FlowNode[]): string {
  const shown = nodes.slice(0, NAMES_MAX).map(nameOf).join(', ');
  return nodes.length > NAMES_MAX ? t.andMore(shown, nodes.length - NAMES_MAX) : shown;
}

const content = (node: FlowNode): Json => withMember({ ...node.raw }, 'position', undefined);

/** The steps that theirs has, lacks and changes, as sentences; empty: the steps and lines are the same. */
export function sayDifferences(mine: Flow, theirs: Flow): readonly string[] {
  const [own, other] = [nodesOf(mine), nodesOf(theirs)];
  const byId = (nodes: readonly FlowNode[]) => new Map(nodes.map((node) => [node.id, node]));
  const [ownById, otherById] = [byId(own), byId(other)];
  const added = other.filter(({ id }) => !ownById.has(id));
  const missing = own.filter(({ id }) => !otherById.has(id));
  const changed = other.filter((node) => {
    const before = ownById.get(node.id);
    return before !== undefined && !isSame(content(before), content(node));
  });
  const lines = (flow: Flow) =>
    linesOf(flow)
      .map(({ from, to, port, condition, label }) =>
        JSON.stringify([from, to, port, condition ?? null, label]),
      )
      .sort();
  const hasLines = JSON.stringify(lines(mine)) !== JSON.stringify(lines(theirs));
  return [
    ...(added.length === 0 ? [] : [t.theirsHasWhichYours(names(added))]),
    ...(missing.length === 0 ? [] : [t.theirsLacks(names(missing))]),
    ...(changed.length === 0 ? [] : [t.differentInBoth(names(changed))]),
    ...(hasLines ? [t.linesDifferToo] : []),
    ...(mine['name'] === theirs['name'] || typeof theirs['name'] !== 'string'
      ? []
      : [t.theirsIsCalled(theirs['name'])]),
  ];
}
