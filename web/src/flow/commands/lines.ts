/* flow/commands/lines.ts — lines between steps: where they lead, when they are taken, in which order they are asked. */
import { isRestPort } from '../answers';
import type { Handler } from '../command';
import { addLines, orderLines, putLine, removeLines } from '../edit';
import {
  findLine,
  findNode,
  type Flow,
  type FlowLine,
  isEndType,
  isGateway,
  isStartType,
  linesFrom,
  nameOf,
  type NodeId,
  roleOf,
} from '../flow';
import { isGraph } from '../format';
import { isSame } from '../json';
import { t } from '../../texts/flow';

/** Why no line can go from one step to the other; null: one can. */
export function whyNoLine(flow: Flow, from: NodeId, port: string, to: NodeId): string | null {
  const source = findNode(flow, from);
  const target = findNode(flow, to);
  if (source === undefined || target === undefined) return t.thatStepIsNotThere;
  if (isEndType(source.type)) return t.nothingFollowsAnEnd;
  if (isStartType(target.type)) return t.nothingLeadsToAStart;
  if (from === to) return t.aStepCannotLead;
  if (port === 'body') return target.parent === from ? null : t.aLoopBegins;
  if (source.parent !== target.parent) return t.aLineCannotCross;
  return null;
}

const ends = (flow: Flow, line: FlowLine | undefined) =>
  line === undefined ? t.theLine : t.theLine2(nameOf(flow, line.from), nameOf(flow, line.to));
const gone = (flow: Flow, key: string) => (findLine(flow, key) === undefined ? t.thatLineIsNotThere : null);

/** Whether conditions choose among the lines of a step: those of a decision, in the steps format of other steps, too. */
export function isChosen(flow: Flow, line: FlowLine): boolean {
  return line.slot?.kind === 'case' || roleOf(findNode(flow, line.from)?.type ?? '') === 'choice';
}

/* Ways of a gateway are many; any other port has one. */
function hasMany(flow: Flow, from: NodeId, port: string): boolean {
  const isUsual = port === 'out' && linesFrom(flow, from).some((line) => line.slot?.kind === 'case');
  return isUsual || (isGateway(findNode(flow, from)?.type ?? '') && port === 'out');
}

const isEntry = (line: FlowLine | undefined) => line?.slot?.kind === 'entry';

export const connect: Handler<'connect'> = {
  says: (flow, { from, to }) => t.connectedTo(nameOf(flow, from), nameOf(flow, to)),
  refuses: (flow, { from, port, to }) =>
    whyNoLine(flow, from, port, to) ??
    (linesFrom(flow, from).some((line) => line.port === port && line.to === to)
      ? t.theyAreConnectedAlready
      : null),
  apply: (flow, { from, port, to }) => {
    const [old] = linesFrom(flow, from).filter((line) => line.port === port);
    if (hasMany(flow, from, port)) {
      const isDefault = old === undefined && roleOf(findNode(flow, from)?.type ?? '') === 'choice';
      return addLines(flow, [{ from, port, to, isDefault }]);
    }
    const isDefault = isRestPort(findNode(flow, from), port);
    return old === undefined ? addLines(flow, [{ from, port, to, isDefault }]) : putLine(flow, old, { to });
  },
};

export const disconnect: Handler<'disconnect'> = {
  says: (flow, { key }) => t.removed(ends(flow, findLine(flow, key))),
  refuses: (flow, { key }) => gone(flow, key) ?? (isEntry(findLine(flow, key)) ? t.aFlowBegins : null),
  apply: (flow, { key }) =>
    removeLines(
      flow,
      [findLine(flow, key)].filter((line) => line !== undefined),
    ),
};

export const retarget: Handler<'retarget'> = {
  says: (flow, { from, to }) =>
    to === null ? t.leadsNowhereThatWay(nameOf(flow, from)) : t.leadsTo(nameOf(flow, from), nameOf(flow, to)),
  refuses: (flow, { from, port, to, key }) => {
    const lines = linesFrom(flow, from).filter((line) => line.port === port);
    if (key !== undefined && !lines.some((line) => line.key === key)) return t.thatLineIsNotThere;
    if (to === null) return lines.some(isEntry) ? t.aFlowBegins : null;
    return whyNoLine(flow, from, port, to);
  },
  apply: (flow, { from, port, to, key }) => {
    const lines = linesFrom(flow, from).filter(
      (line) => line.port === port && (key === undefined || line.key === key),
    );
    const [first] = lines;
    if (to === null) return lines.length === 0 ? flow : removeLines(flow, lines);
    if (first === undefined) return addLines(flow, [{ from, port, to }]);
    return first.to === to ? flow : putLine(flow, first, { to });
  },
};

export const setCondition: Handler<'setCondition'> = {
  says: (flow, { key }) => t.changedWhenIsTaken(ends(flow, findLine(flow, key))),
  refuses: (flow, { key }) => {
    const line = findLine(flow, key);
    if (line === undefined) return t.thatLineIsNotThere;
    if (roleOf(findNode(flow, line.from)?.type ?? '') === 'split') return t.splitWaitTakesEveryLine;
    return !isGraph(flow) && line.slot?.kind !== 'case' ? t.thisLineIsAlwaysTaken : null;
  },
  apply: (flow, { key, condition }) => {
    const line = findLine(flow, key);
    if (line === undefined || (isSame(line.condition, condition) && !line.isDefault)) return flow;
    return putLine(flow, line, { condition, isDefault: false });
  },
};

export const setDefault: Handler<'setDefault'> = {
  says: (flow, { key }) => t.otherwiseItTakes(ends(flow, findLine(flow, key))),
  refuses: (flow, { key }) => {
    const line = findLine(flow, key);
    return !isGraph(flow) && line !== undefined && line.slot?.kind !== 'case'
      ? t.thisLineIsAlwaysTaken
      : gone(flow, key);
  },
  apply: (flow, { key }) => {
    const line = findLine(flow, key);
    if (line === undefined || line.isDefault) return flow;
    let next = flow;
    for (const other of linesFrom(flow, line.from))
      if (other.isDefault) next = putLine(next, other, { isDefault: false });
    const again = findLine(next, key);
    return again === undefined ? flow : putLine(next, again, { isDefault: true, condition: undefined });
  },
};

export const setLineLabel: Handler<'setLineLabel'> = {
  says: (_, { label }) => (label === '' ? t.tookTheName : t.namedALine(label)),
  refuses: (flow, { key }) => (!isGraph(flow) ? t.linesOfThisKind : gone(flow, key)),
  apply: (flow, { key, label }) => {
    const line = findLine(flow, key);
    if (line === undefined || line.label === label) return flow;
    return putLine(flow, line, { label });
  },
};

export const moveLine: Handler<'moveLine'> = {
  says: (flow, { key, by }) => t.isAsked(ends(flow, findLine(flow, key)), by < 0 ? t.earlier : t.later),
  refuses: (flow, { key, by }) => {
    const line = findLine(flow, key);
    if (line === undefined) return t.thatLineIsNotThere;
    const list = linesFrom(flow, line.from);
    const at = list.indexOf(line) + by;
    return at < 0 || at >= list.length ? t.itCannotGoFurther : null;
  },
  apply: (flow, { key, by }) => {
    const line = findLine(flow, key);
    if (line === undefined) return flow;
    const list = [...linesFrom(flow, line.from)];
    const at = list.indexOf(line);
    list.splice(at, 1);
    list.splice(at + by, 0, line);
    return orderLines(
      flow,
      list.map((each) => each.key),
    );
  },
};
