/* pages/builder/canvas-handlers.ts — what pointer and canvas do to the document. The functions stay the same for as long as the canvas is
 * there: React Flow hands them to every step, and a new function would draw all steps anew with each frame of a drag. So they read the
 * document when they are called. */
import { type ReactFlowProps, useReactFlow } from '@xyflow/react';
import { type MouseEvent, useMemo } from 'react';

import { openAnswers, wayOn } from '../../flow/answers';
import { findNode, type Flow, type FlowNode, type Point } from '../../flow/flow';
import { placesOf, snap } from '../../flow/layout';
import type { LineEdge } from './canvas-data';
import type { LineActions } from './canvas-line';
import type { StepNode } from './canvas-node';
import { useBuilder } from './context';

/* A line that is drawn from a step is that of an answer without one. */
const portOf = (flow: Flow, node: FlowNode) => openAnswers(flow, node)[0] ?? wayOn(flow, node);

type Props = ReactFlowProps<StepNode, LineEdge>;

interface CanvasHandlers {
  readonly onNodeClick: NonNullable<Props['onNodeClick']>;
  readonly onNodeDoubleClick: NonNullable<Props['onNodeDoubleClick']>;
  readonly onNodeDragStop: NonNullable<Props['onNodeDragStop']>;
  readonly onEdgeClick: NonNullable<Props['onEdgeClick']>;
  readonly onPaneClick: NonNullable<Props['onPaneClick']>;
  readonly onConnect: NonNullable<Props['onConnect']>;
  readonly onDoubleClick: (event: MouseEvent) => void;
  readonly lineActions: LineActions;
}

const snapPoint = ({ x, y }: Point): Point => ({ x: snap(x), y: snap(y) });

/** `onRefused`: a drop was refused, and its steps go back to their places. */
export function useCanvasHandlers(focusStep: (id: string) => void, onRefused: () => void): CanvasHandlers {
  const { store, openPanel, openAdd } = useBuilder();
  const { screenToFlowPosition } = useReactFlow();
  return useMemo((): CanvasHandlers => {
    const now = () => store.get().history.now;
    const pick = (key: string) => {
      store.select({ kind: 'line', key });
      openPanel();
    };
    return {
      onNodeClick: (event, { id }) => {
        const { selection } = now();
        const ids =
          event.shiftKey && selection.kind === 'nodes' ? [...new Set([...selection.ids, id])] : [id];
        store.select({ kind: 'nodes', ids });
        focusStep(id);
      },
      onNodeDoubleClick: () => openPanel(),
      onNodeDragStop: (_, node, nodes) => {
        const moves = (nodes.length > 0 ? nodes : [node]).map(({ id, position }) => ({
          id,
          ...snapPoint(position),
        }));
        // After the frame that shows the drop: both together would take too long in a large flow.
        setTimeout(() => {
          const rects = placesOf(now().flow);
          const isMoved = moves.some(({ id, x, y }) => rects.get(id)?.x !== x || rects.get(id)?.y !== y);
          if (isMoved && !store.dispatch({ kind: 'moveNodes', moves })) onRefused();
        });
      },
      onEdgeClick: (_, { id }) => pick(id),
      onPaneClick: () => store.select({ kind: 'none' }),
      onConnect: ({ source, target }) => {
        const node = findNode(now().flow, source);
        if (node !== undefined)
          store.dispatch({ kind: 'connect', from: source, port: portOf(now().flow, node), to: target });
      },
      onDoubleClick: ({ target, clientX, clientY }) => {
        if (!(target instanceof Element) || !target.classList.contains('react-flow__pane')) return;
        const at = { x: clientX, y: clientY };
        openAdd({ place: { kind: 'loose', at: snapPoint(screenToFlowPosition(at)) }, at, opener: null });
      },
      lineActions: {
        pick,
        add: (key, at) => openAdd({ place: { kind: 'line', key }, at, opener: null }),
      },
    };
  }, [store, openPanel, openAdd, screenToFlowPosition, focusStep, onRefused]);
}
