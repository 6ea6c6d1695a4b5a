/* flow/commands/lines.ts — lines between steps: where they lead, when they are taken, in which order they are asked. */
import type { Handler } from '../command';
import { addLines, putLine, removeLines } from '../edit';
import {
  findLine,
  findNode,
  type Flow,
  type FlowLine,
  isStartType,
  linesFrom,
  nameOf,
  type NodeId,
} from '../flow';
import { isSame } from '../json';
import { isGateway } from './add-node';

/** Why no line can go from one step to the other; null: one can. */
export function whyNoLine(flow: Flow, from: NodeId, port: string, to: NodeId): string | null {
  const source = findNode(flow, from);
  const target = findNode(flow, to);
  if (source === undefined || target === undefined) return 'That step is not there any more';
  if (source.type === 'end') return 'Nothing follows an end';
  if (isStartType(target.type)) return 'Nothing leads to a start';
  if (from === to) return 'A step cannot lead to itself';
  if (port === 'body') return target.parent === from ? null : 'A loop begins with a step inside of it';
  if (source.parent !== target.parent) return 'A line cannot cross the border of a loop';
  return null;
}

const ends = (flow: Flow, line: FlowLine | undefined) =>
  line === undefined ? 'the line' : `the line from ${nameOf(flow, line.from)} to ${nameOf(flow, line.to)}`;
const gone = (flow: Flow, key: string) =>
  findLine(flow, key) === undefined ? 'That line is not there any more' : null;

/* Ways of a gateway are many; any other port has one. */
function hasMany(flow: Flow, from: NodeId): boolean {
  return isGateway(findNode(flow, from)?.type ?? '');
}

export const connect: Handler<'connect'> = {
  says: (flow, { from, to }) => `Connected ${nameOf(flow, from)} to ${nameOf(flow, to)}`,
  refuses: (flow, { from, port, to }) =>
    whyNoLine(flow, from, port, to) ??
    (linesFrom(flow, from).some((line) => line.port === port && line.to === to)
      ? 'They are connected already'
      : null),
  apply: (flow, { from, port, to }) => {
    const [old] = linesFrom(flow, from).filter((line) => line.port === port);
    if (hasMany(flow, from)) {
      const isFirst = old === undefined && findNode(flow, from)?.type !== 'parallel';
      return addLines(flow, [{ from, port, to, members: isFirst ? { default: true } : {} }]);
    }
    return old === undefined ? addLines(flow, [{ from, port, to }]) : putLine(flow, old, { to });
  },
};

export const disconnect: Handler<'disconnect'> = {
  says: (flow, { key }) => `Removed ${ends(flow, findLine(flow, key))}`,
  refuses: (flow, { key }) => gone(flow, key),
  apply: (flow, { key }) =>
    removeLines(
      flow,
      [findLine(flow, key)].filter((line) => line !== undefined),
    ),
};

export const retarget: Handler<'retarget'> = {
  says: (flow, { from, to }) =>
    to === null
      ? `${nameOf(flow, from)} leads nowhere that way`
      : `${nameOf(flow, from)} leads to ${nameOf(flow, to)}`,
  refuses: (flow, { from, port, to }) => (to === null ? null : whyNoLine(flow, from, port, to)),
  apply: (flow, { from, port, to }) => {
    const lines = linesFrom(flow, from).filter((line) => line.port === port);
    const [first] = lines;
    if (to === null) return lines.length === 0 ? flow : removeLines(flow, lines);
    if (first === undefined) return addLines(flow, [{ from, port, to }]);
    return first.to === to ? flow : putLine(flow, first, { to });
  },
};

export const setCondition: Handler<'setCondition'> = {
  says: (flow, { key }) => `Changed when ${ends(flow, findLine(flow, key))} is taken`,
  refuses: (flow, { key }) => {
    const line = findLine(flow, key);
    if (line === undefined) return 'That line is not there any more';
    const type = findNode(flow, line.from)?.type;
    return type === 'parallel' ? 'Split & Wait takes every line' : null;
  },
  apply: (flow, { key, condition }) => {
    const line = findLine(flow, key);
    if (line === undefined || (isSame(line.condition, condition) && !line.isDefault)) return flow;
    return putLine(flow, line, { condition, default: undefined });
  },
};

export const setDefault: Handler<'setDefault'> = {
  says: (flow, { key }) => `Otherwise it takes ${ends(flow, findLine(flow, key))}`,
  refuses: (flow, { key }) => gone(flow, key),
  apply: (flow, { key }) => {
    const line = findLine(flow, key);
    if (line === undefined || line.isDefault) return flow;
    let next = flow;
    for (const other of linesFrom(flow, line.from))
      if (other.isDefault) next = putLine(next, other, { default: undefined });
    const again = findLine(next, key);
    return again === undefined ? flow : putLine(next, again, { default: true, condition: undefined });
  },
};

export const setLineLabel: Handler<'setLineLabel'> = {
  says: (_, { label }) => (label === '' ? 'Took the name of a line away' : `Named a line “${label}”`),
  refuses: (flow, { key }) => gone(flow, key),
  apply: (flow, { key, label }) => {
    const line = findLine(flow, key);
    if (line === undefined || line.label === label) return flow;
    return putLine(flow, line, { label: label === '' ? undefined : label });
  },
};

export const moveLine: Handler<'moveLine'> = {
  says: (flow, { key, by }) => `${ends(flow, findLine(flow, key))} is asked ${by < 0 ? 'earlier' : 'later'}`,
  refuses: (flow, { key, by }) => {
    const line = findLine(flow, key);
    if (line === undefined) return 'That line is not there any more';
    const list = linesFrom(flow, line.from);
    const at = list.indexOf(line) + by;
    return at < 0 || at >= list.length ? 'It cannot go further' : null;
  },
  apply: (flow, { key, by }) => {
    const line = findLine(flow, key);
    if (line === undefined) return flow;
    const list = [...linesFrom(flow, line.from)];
    const at = list.indexOf(line);
    list.splice(at, 1);
    list.splice(at + by, 0, line);
    let next = flow;
    list.forEach((each, order) => {
      const now = findLine(next, each.key);
      if (now !== undefined) next = putLine(next, now, { order });
    });
    return next;
  },
};
