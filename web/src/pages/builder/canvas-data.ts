/* pages/builder/canvas-data.ts — the steps and lines of a document as React Flow wants them. A step or a line that did not change stays the same object, so
 * that it is not drawn anew.
 *
 * The lines of a large flow are laid in pieces between frames; until that is done, the lines as they were stay (large-lines.tsx). */
import type { Edge } from '@xyflow/react';
import { useCallback, useMemo } from 'react';

import type { NodeTypes } from '../../flow/data';
import { type Flow, type LineKey, linesOf, nodesOf } from '../../flow/flow';
import { placesOf } from '../../flow/layout';
import { marksInPieces } from '../../flow/marks';
import { numbersOf } from '../../flow/outline';
import { atOnce, type Pieces } from '../../flow/pieces';
import { routesInPieces } from '../../flow/route';
import { pathOf } from '../../flow/ways';
import { captionOf, sayLine } from '../../flow/say';
import { isErrorPort, roleOf } from '../../flow/roles';
import { isTimerPort } from '../../flow/steps/read';
import { t } from '../../texts/builder';
import { sayProblem } from '../../texts/engine';
import { isSameLineData, type LineData } from './canvas-line';
import type { StepData, StepNode } from './canvas-node';
import { useBuilder } from './context';
import { useInPieces } from './use-pieces';
import { takenLines } from './taken-lines';

export type LineEdge = Edge<LineData, 'line'>;

/** Flows with more steps are large. */
export const LARGE_MIN = 120;

export function useSteps(): readonly StepNode[] {
  const { flow, types, selection, problemsOf, order } = useBuilder();
  return useMemo(() => {
    const places = placesOf(flow);
    const numbers = numbersOf(flow);
    const ids = selection.kind === 'nodes' ? selection.ids : [];
    const tabStop = ids[0] ?? nodesOf(flow)[0]?.id;
    const total = nodesOf(flow).length;
    const steps: StepNode[] = [];
    for (const node of nodesOf(flow)) {
      const rect = places.get(node.id);
      if (rect === undefined) continue;
      const problems = problemsOf.get(node.id) ?? [];
      const isLoop = roleOf(node.type) === 'loop';
      const data: StepData = {
        type: node.type,
        label: node.label === '' ? (types.get(node.type)?.label ?? node.type) : node.label,
        caption: captionOf(node, types),
        problem: sayProblem(problems[0]?.code ?? '') || (problems[0]?.message ?? ''),
        isError: problems.some((problem) => problem.severity === 'error'),
        order: order.get(node.id) ?? 0,
      };
      const says = [
        data.label,
        data.caption,
        t.stepOf(numbers.get(node.id) ?? 0, total),
        problems.length === 0 ? '' : t.nProblems(problems.length),
      ];
      steps.push({
        id: node.id,
        type: isLoop ? 'zone' : 'step',
        position: { x: rect.x, y: rect.y },
        width: rect.width,
        height: rect.height,
        data,
        selected: ids.includes(node.id),
        zIndex: isLoop ? 0 : 2,
        // A loop has a button of its own, so it cannot be one.
        ariaRole: isLoop ? 'group' : 'button',
        ariaLabel: says.filter((word) => word !== '').join(', '),
        domAttributes: {
          tabIndex: node.id === tabStop ? 0 : -1,
          ...(isLoop ? {} : { 'aria-pressed': ids.includes(node.id) }),
        },
      });
    }
    return steps;
  }, [flow, types, selection, problemsOf, order]);
}

const isSameData = (a: StepData, b: StepData) =>
  a.type === b.type &&
  a.label === b.label &&
  a.caption === b.caption &&
  a.problem === b.problem &&
  a.isError === b.isError &&
  a.order === b.order;

/** The new steps; those that look as before are the old objects. */
export function keepSame(steps: readonly StepNode[], old: readonly StepNode[]): StepNode[] {
  const known = new Map(old.map((step) => [step.id, step]));
  return steps.map((step) => {
    const before = known.get(step.id);
    const isSame =
      before?.type === step.type &&
      before.position.x === step.position.x &&
      before.position.y === step.position.y &&
      before.width === step.width &&
      before.height === step.height &&
      before.selected === step.selected &&
      before.ariaLabel === step.ariaLabel &&
      before.domAttributes?.tabIndex === step.domAttributes?.tabIndex &&
      isSameData(before.data, step.data);
    return isSame ? before : step;
  });
}

/* Lines that look as before are the old objects. */
function keepSameLines(lines: readonly LineEdge[], old: readonly LineEdge[]): readonly LineEdge[] {
  const known = new Map(old.map((line) => [line.id, line]));
  return lines.map((line) => {
    const before = known.get(line.id);
    const isSame =
      before?.source === line.source &&
      before.target === line.target &&
      before.ariaLabel === line.ariaLabel &&
      isSameLineData(before.data, line.data);
    return isSame ? before : line;
  });
}

const NO_LINES: readonly LineEdge[] = [];

/* The lines and their ways; which one is chosen and which the test took comes on top of it. */
export function useLines(isLarge: boolean): readonly LineEdge[] {
  const { flow, types, selection, taken } = useBuilder();
  const picked = selection.kind === 'line' ? selection.key : null;
  const start = useCallback(() => linesInPieces(flow, types), [flow, types]);
  const small = useMemo(() => (isLarge ? NO_LINES : atOnce(start())), [isLarge, start]);
  const large = useInPieces(isLarge ? start : null, keepSameLines, NO_LINES);
  const plain = isLarge ? large : small;
  return useMemo(() => {
    if (picked === null && taken.size === 0) return plain;
    const went = takenLines(flow, taken);
    return plain.map((line): LineEdge => {
      const isPicked = line.id === picked;
      if (!isPicked && taken.size === 0) return line;
      return {
        ...line,
        ...(isPicked ? { selected: true, zIndex: 3 } : {}),
        ...(line.data === undefined || taken.size === 0
          ? {}
          : {
              data: {
                ...line.data,
                isTaken: went.has(line.id),
                hasTest: true,
              },
            }),
      };
    });
  }, [plain, picked, taken, flow]);
}

const PIECE = 64;

export function* linesInPieces(flow: Flow, types: NodeTypes): Pieces<readonly LineEdge[]> {
  const names = new Map<LineKey, string>();
  for (const line of linesOf(flow)) {
    if (names.size % PIECE === 0) yield;
    names.set(line.key, sayLine(flow, line, types));
  }
  const routes = yield* routesInPieces(flow);
  const marks = yield* marksInPieces(flow, names);
  const places = placesOf(flow);
  const labelOf = new Map(
    nodesOf(flow).map(({ id, label, type }) => [id, label || (types.get(type)?.label ?? id)]),
  );
  const seen = new Map<string, number>();
  const sourceOf = ({ from }: { readonly from: string }) => {
    const at = (seen.get(from) ?? 0) + 1;
    seen.set(from, at);
    return at === 1 ? (labelOf.get(from) ?? '') : t.line(labelOf.get(from) ?? '', at);
  };
  const lines: LineEdge[] = [];
  for (const line of linesOf(flow)) {
    if (lines.length % PIECE === 0) yield;
    const [route, mark] = [routes.get(line.key), marks.get(line.key)];
    const [from, to] = [places.get(line.from), places.get(line.to)];
    if (route === undefined || mark === undefined || from === undefined || to === undefined) continue;
    const look = isTimerPort(line.port) ? 'timer' : isErrorPort(line.port) ? 'error' : 'plain';
    lines.push({
      id: line.key,
      type: 'line',
      source: line.from,
      target: line.to,
      sourceHandle: 'out',
      targetHandle: 'in',
      selected: false,
      zIndex: 1,
      ariaLabel: t.lineFromTo(labelOf.get(line.from) ?? '', labelOf.get(line.to) ?? ''),
      data: {
        path: pathOf(route.points),
        marks: mark,
        sourceAt: { x: from.x + from.width / 2, y: from.y + from.height },
        targetAt: { x: to.x + to.width / 2, y: to.y },
        label: names.get(line.key) ?? '',
        source: sourceOf(line),
        look: look === 'plain' && route.isBack ? 'back' : look,
        isTaken: false,
        hasTest: false,
      },
    });
  }
  return lines;
}
