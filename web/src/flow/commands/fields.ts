/* flow/commands/fields.ts — what is filled in: names, fields of steps, settings of the flow. */
import { answerLines } from '../answers';
import type { Handler } from '../command';
import { putLine, removeLines, setFieldOf, setMemberOf } from '../edit';
import { isGraph, isStates, isSteps } from '../format';
import { findNode, type Flow, linesFrom, nameOf, nodesOf } from '../flow';
import { atPath, isList, isObject, isSame, withPath } from '../json';
import { t } from '../../texts/flow';
import { completeAnswers, withoutLostEnds } from './answer-lines';

function gone(flow: Flow, id: string): string | null {
  const node = findNode(flow, id);
  if (node === undefined) return t.thatStepIsNotThere;
  return node.list === 'start' ? t.theStartHasNothing : null;
}

export const setField: Handler<'setField'> = {
  says: (flow, { id }) => t.changed(nameOf(flow, id)),
  refuses: (flow, { id, path }) => (path.length === 0 ? t.thatFieldIsNotThere : gone(flow, id)),
  apply: (flow, { id, path, value }) => {
    const node = findNode(flow, id);
    if (node === undefined || isSame(atPath(node.config, path), value)) return flow;
    return setFieldOf(flow, node, path, value);
  },
};

export const setMember: Handler<'setMember'> = {
  says: (flow, { id }) => t.changed(nameOf(flow, id)),
  refuses: (flow, { id, name }) =>
    ['id', 'type', 'parent', 'position'].includes(name) ? t.thatCannotBeChanged : gone(flow, id),
  apply: (flow, { id, name, value }) => {
    const node = findNode(flow, id);
    return node === undefined || isSame(node.raw[name], value) ? flow : setMemberOf(flow, node, name, value);
  },
};

/* States are known by their names. */
function isTaken(flow: Flow, id: string, label: string): boolean {
  const parent = findNode(flow, id)?.parent;
  return (
    label.trim() === '' ||
    nodesOf(flow).some((other) => other.id !== id && other.parent === parent && other.label === label)
  );
}

export const setLabel: Handler<'setLabel'> = {
  says: (_, { label }) => t.namedAStep(label),
  refuses: (flow, { id, label }) =>
    gone(flow, id) ??
    (isStates(flow) && isTaken(flow, id, label) ? t.anotherHasTheName : null) ??
    (isSteps(flow) && findNode(flow, id)?.list === 'triggers' ? t.itHasTheName : null),
  apply: (flow, { id, label }) => {
    const node = findNode(flow, id);
    return node === undefined || node.label === label
      ? flow
      : setMemberOf(flow, node, 'label', label === '' ? undefined : label);
  },
};

/* Each answer is a port. A line of an answer that is renamed keeps its answer; the line of one that goes, goes. The usual line
 * becomes that of the first answer, and back; a new answer ends. */
function moveAnswerLines(flow: Flow, id: string, old: readonly string[], decisions: readonly string[]): Flow {
  let next = flow;
  const isRename = old.length === decisions.length;
  const [first] = decisions;
  for (const line of [...linesFrom(flow, id)].reverse()) {
    const has = (port: string) => linesFrom(next, id).some((each) => each.port === port);
    if (line.port === 'out' && first !== undefined && !line.isDefault && old.length < 2 && !has(first))
      next = putLine(next, line, { port: first });
    const at = old.indexOf(line.port);
    if (at < 0 || decisions.includes(line.port)) continue;
    const now = isRename ? decisions[at] : first === undefined && at === 0 && !has('out') ? 'out' : undefined;
    next = now === undefined ? removeLines(next, [line]) : putLine(next, line, { port: now });
  }
  return next;
}

export const setDecisions: Handler<'setDecisions'> = {
  says: (flow, { id }) => t.changedTheAnswers(nameOf(flow, id)),
  refuses: (flow, { id, decisions }) => {
    if (!isGraph(flow)) return t.flowsOfThisKind;
    if (new Set(decisions).size < decisions.length) return t.thatAnswerIsThereAlready;
    if (decisions.some((word) => word.trim() === '' || word === 'out' || word === 'timeout'))
      return t.thatCannotBeAnAnswer;
    return gone(flow, id);
  },
  apply: (flow, { id, decisions }, highest) => {
    const node = findNode(flow, id);
    if (node === undefined) return flow;
    const list = node.config['decisions'];
    const old = isList(list) ? list.filter((word) => typeof word === 'string') : [];
    if (isSame(list, [...decisions])) return flow;
    const value = decisions.length === 0 ? undefined : [...decisions];
    const moved = moveAnswerLines(setFieldOf(flow, node, ['decisions'], value), id, old, decisions);
    const now = findNode(moved, id);
    const hasLines = now !== undefined && answerLines(moved, now).length > 0;
    return withoutLostEnds(flow, hasLines ? completeAnswers(moved, id, highest) : moved);
  },
};

/** Steps and lines have commands of their own. In a flow of states `triggers` are descriptions of events. */
const PARTS: readonly (string | undefined)[] = ['nodes', 'edges', 'steps', 'states', 'triggers', undefined];

/** Settings may stand in `settings` or beside it; they are changed where they are. */
export const setSetting: Handler<'setSetting'> = {
  says: (_, { path }) => (path[0] === 'name' ? t.namedTheFlow : t.changedTheSettings),
  refuses: (flow, { path }) =>
    PARTS.includes(path[0]) && !(isStates(flow) && path[0] === 'triggers') ? t.thatCannotBeChanged : null,
  apply: (flow, { path, value }) => {
    if (isSame(atPath(flow, path), value)) return flow;
    const next = withPath(flow, path, value);
    const settings = next['settings'];
    return isObject(settings) && Object.keys(settings).length === 0 && value === undefined
      ? withPath(next, ['settings'], undefined)
      : next;
  },
};
