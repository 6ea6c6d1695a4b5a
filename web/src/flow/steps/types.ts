/* flow/steps/types.ts — the types of the steps format, from the engine's table. Starts (schedules, web requests) are those of the graph
 * format; the start of the document itself is only on the screen. */
import type { NodeType, NodeTypes } from '../data';
import type { NodeTable } from '../table';
import { t } from '../../texts/flow';

const START: NodeType = {
  type: 'start',
  label: t.start,
  category: 'steps',
  kind: 'trigger',
  ports: [{ name: 'out', label: t.then }],
  params: [],
  outputs: [],
};

/* Runs of this format are not looked up by a key of what arrives. */
const NOT_HERE = ['onMatch', 'correlationExpression', 'inputSchema', 'entry', 'label'];

const known = new WeakMap<NodeTable, NodeTypes>();

export function stepTypes(table: NodeTable): NodeTypes {
  const kept = known.get(table);
  if (kept !== undefined) return kept;
  const starts = [...table.types.values()]
    .filter(({ kind, type: name }) => kind === 'trigger' && name !== 'trigger_manual')
    .map((each) => ({ ...each, params: each.params.filter((param) => !NOT_HERE.includes(param.name)) }));
  const types = new Map([...starts, START, ...table.stepTypes].map((each) => [each.type, each]));
  known.set(table, types);
  return types;
}
