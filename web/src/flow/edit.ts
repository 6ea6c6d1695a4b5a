/* flow/edit.ts — the few ways in which a document changes. Commands are made of these; how a change is written down is a matter of
 * the format. */
import type { Flow, FlowLine, FlowNode, LineKey, NodeId } from './flow';
import { formatOf, type LineChange, type NewLine, type NewNode } from './format';
import type { Json } from './json';

export const addNodes = (flow: Flow, added: readonly NewNode[]): Flow => formatOf(flow).addNodes(flow, added);

export const removeNodes = (flow: Flow, ids: ReadonlySet<NodeId>): Flow =>
  formatOf(flow).removeNodes(flow, ids);

export const setFieldOf = (
  flow: Flow,
  node: FlowNode,
  path: readonly string[],
  value: Json | undefined,
): Flow => formatOf(flow).putField(flow, node, path, value);

export const setMemberOf = (flow: Flow, node: FlowNode, name: string, value: Json | undefined): Flow =>
  formatOf(flow).putMember(flow, node, name, value);

export const addLines = (flow: Flow, lines: readonly NewLine[]): Flow =>
  lines.reduce((next, line) => formatOf(next).addLine(next, line), flow);

/** Takes lines away; those that are the `entry` of a trigger, from the trigger. */
export const removeLines = (flow: Flow, lines: readonly FlowLine[]): Flow =>
  lines.length === 0 ? flow : formatOf(flow).removeLines(flow, lines);

export const putLine = (flow: Flow, line: FlowLine, change: LineChange): Flow =>
  formatOf(flow).putLine(flow, line, change);

export const orderLines = (flow: Flow, keys: readonly LineKey[]): Flow =>
  formatOf(flow).orderLines(flow, keys);
