/* flow/commands/wrap-in-loop.ts — puts steps that follow each other into a For each, and takes them out again. */
import type { Command, Handler } from '../command';
import { addLines, addNodes, putLine, removeLines, removeNodes, setMemberOf } from '../edit';
import { isGraph } from '../format';
import {
  childrenOf,
  findLine,
  findNode,
  type Flow,
  type FlowLine,
  isEndType,
  isStartType,
  linesOf,
  linesTo,
  nameOf,
} from '../flow';
import { hasPlaces, placesOf } from '../layout';
import { newId } from '../new-id';
import { t } from '../../texts/flow';
import { leadOn, withoutLostEnds } from './answer-lines';

type Wrap = Extract<Command, { kind: 'wrapInLoop' }>;

interface Border {
  readonly into: readonly FlowLine[];
  readonly out: readonly FlowLine[];
}

function borderOf(flow: Flow, ids: readonly string[]): Border {
  const inside = new Set(ids);
  return {
    into: linesOf(flow).filter((line) => inside.has(line.to) && !inside.has(line.from)),
    out: linesOf(flow).filter((line) => inside.has(line.from) && !inside.has(line.to)),
  };
}

/* Ways that end the flow end the item instead; the loop goes on where the others do. */
function onwardOf(flow: Flow, out: readonly FlowLine[]): readonly FlowLine[] {
  const on = out.filter((line) => findNode(flow, line.to)?.type !== 'end');
  return on.length > 0 ? on : out;
}

function whyNot(flow: Flow, { ids }: Wrap): string | null {
  if (!isGraph(flow)) return t.flowsOfThisKind2;
  const nodes = ids.map((id) => findNode(flow, id));
  const [first] = nodes;
  if (first === undefined || nodes.includes(undefined)) return t.thereIsNothingToRepeat;
  if (nodes.some((node) => node === undefined || isStartType(node.type) || isEndType(node.type)))
    return t.aStartOrAnEnd;
  if (nodes.some((node) => node?.parent !== first.parent)) return t.theseStepsAreInDifferent;
  const { into, out } = borderOf(flow, ids);
  if (new Set(into.map((line) => line.to)).size > 1) return t.aLoopHasOneFirst;
  if (new Set(onwardOf(flow, out).map((line) => line.to)).size > 1) return t.aLoopGoes;
  return null;
}

export const wrapInLoop: Handler<'wrapInLoop'> = {
  says: (flow, { ids }) =>
    ids.length === 1 ? t.repeats(nameOf(flow, ids[0] ?? '')) : t.repeatsSteps(ids.length),
  refuses: whyNot,
  apply: (flow, { ids, label }, highest) => {
    const { into, out } = borderOf(flow, ids);
    const id = newId('for_each', highest + 1);
    const parent = findNode(flow, ids[0] ?? '')?.parent ?? null;
    const rect = placesOf(flow).get(ids[0] ?? '');
    const position = hasPlaces(flow) && rect !== undefined ? { x: rect.x - 24, y: rect.y - 56 } : null;
    let next = removeLines(flow, out);
    for (const { key } of into) {
      const line = findLine(next, key);
      if (line !== undefined) next = putLine(next, line, { to: id });
    }
    for (const inner of ids) {
      const node = findNode(next, inner);
      if (node !== undefined) next = setMemberOf(next, node, 'parent', id);
    }
    next = addNodes(next, [{ id, type: 'for_each', label, config: {}, parent, position }]);
    const first = into[0]?.to ?? ids[0] ?? '';
    next = addLines(next, [{ from: id, port: 'body', to: first }]);
    const [onward] = onwardOf(flow, out);
    if (onward === undefined) return next;
    return withoutLostEnds(flow, addLines(next, [{ from: id, port: 'done', to: onward.to }]));
  },
};

/* Lines that led to the loop lead to its first step, and its last steps lead on. */
export const unwrapLoop: Handler<'unwrapLoop'> = {
  says: (flow, { id }) => t.tookTheStepsOut(nameOf(flow, id)),
  refuses: (flow, { id }) => {
    if (findNode(flow, id)?.type !== 'for_each') return t.thatIsNoLoop;
    return childrenOf(flow, id).length === 0 ? t.theLoopIsEmpty : null;
  },
  apply: (flow, { id }, highest) => {
    const loop = findNode(flow, id);
    const lines = linesOf(flow).filter((line) => line.from === id);
    const first = lines.find((line) => line.port === 'body')?.to ?? childrenOf(flow, id)[0]?.id;
    const onward = lines.find((line) => line.port === 'done')?.to;
    if (loop === undefined || first === undefined) return flow;
    const last = childrenOf(flow, id).filter((node) => !linesOf(flow).some((line) => line.from === node.id));
    let next = flow;
    for (const child of childrenOf(flow, id)) {
      const node = findNode(next, child.id);
      if (node !== undefined) next = setMemberOf(next, node, 'parent', loop.parent ?? undefined);
    }
    for (const { key } of linesTo(flow, id)) {
      const line = findLine(next, key);
      if (line !== undefined && line.from !== id) next = putLine(next, line, { to: first });
    }
    next = removeNodes(next, new Set([id]));
    if (onward === undefined || onward === id) return next;
    return last
      .filter((node) => node.type !== 'end')
      .reduce((flowNow, node, at) => leadOn(flowNow, node.id, onward, highest + at), next);
  },
};
