/* flow/commands/delete-nodes.ts — removes steps; one way out joins every way in. A loop goes with what is in it.
 * Not here: where focus goes (selectAfter in command.ts). */
import { wayOn } from '../answers';
import type { Handler } from '../command';
import { addLines, putLine, removeNodes } from '../edit';
import {
  findLine,
  findNode,
  type Flow,
  insideOf,
  linesFrom,
  linesTo,
  nameOf,
  type NodeId,
  nodesOf,
  startsOf,
} from '../flow';
import { t } from '../../texts/flow';
import { withoutLostEnds } from './answer-lines';

/* Lines that led to the step lead to the one behind it. */
function heal(flow: Flow, id: NodeId): Flow {
  const node = findNode(flow, id);
  if (node === undefined) return flow;
  const out = linesFrom(flow, id).filter((line) => line.to !== id && line.port !== 'body');
  const usual = out.filter((line) => line.port === wayOn(flow, node));
  const targets = new Set((usual.length > 0 ? usual : out).map((line) => line.to));
  const [target] = targets;
  if (target === undefined || targets.size > 1 || findNode(flow, target)?.parent !== node.parent) return flow;
  let next = flow;
  for (const { key } of linesTo(flow, id)) {
    const line = findLine(next, key);
    if (line === undefined || line.from === id || line.from === target) continue;
    const isThere = linesFrom(next, line.from).some(
      (other) => other.to === target && other.port === line.port,
    );
    if (isThere) continue;
    if (line.index < 0) next = addLines(next, [{ from: line.from, port: line.port, to: target }]);
    else next = putLine(next, line, { to: target });
  }
  return next;
}

export const deleteNodes: Handler<'deleteNodes'> = {
  says: (flow, { ids }) =>
    ids.length === 1 ? t.deleted(nameOf(flow, ids[0] ?? '')) : t.deletedSteps(ids.length),
  refuses: (flow, { ids }) => {
    const known = ids.filter((id) => findNode(flow, id) !== undefined);
    if (known.length === 0) return t.thereIsNothingToDelete;
    if (known.some((id) => findNode(flow, id)?.list === 'start')) return t.aFlowNeedsItsStart;
    const starts = startsOf(flow);
    if (starts.length > 0 && starts.every((start) => ids.includes(start.id))) return t.aFlowNeedsItsStart;
    return null;
  },
  apply: (flow, { ids }) => {
    const gone = new Set(ids.flatMap((id) => [id, ...insideOf(flow, id).map((node) => node.id)]));
    let next = flow;
    for (const node of nodesOf(flow)) if (ids.includes(node.id)) next = heal(next, node.id);
    return withoutLostEnds(flow, removeNodes(next, gone));
  },
};
