/* pages/builder/canvas.tsx — the flow as a picture that can be changed. React Flow pans, zooms and drags; what is drawn comes from
 * the document, and a change goes back as a command. One tab stop: arrows follow the lines.
 *
 * Not here: what a step looks like (canvas-node.tsx), a line (canvas-line.tsx), where they stand (flow/layout.ts, flow/route.ts). */
import './react-flow.css';

import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  type Edge,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useViewport,
} from '@xyflow/react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';

import { api, ok } from '../../api/client';
import { findNode, linesOf, nodesOf, usualPort } from '../../flow/flow';
import { GRID, placesOf, snap } from '../../flow/layout';
import { numbersOf } from '../../flow/outline';
import { routesOf } from '../../flow/route';
import { captionOf, sayLine } from '../../flow/say';
import { isTimerPort } from '../../flow/steps/read';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import styles from './canvas.module.css';
import { CanvasLine, type LineData } from './canvas-line';
import { CanvasNode, CanvasZone, type StepData, type StepNode } from './canvas-node';
import { useBuilder } from './context';
import { useCanvasKeys } from './use-canvas-keys';

const NODE_TYPES = { step: CanvasNode, zone: CanvasZone };
const LINE_TYPES = { line: CanvasLine };
/** Above so many steps only those in sight are in the page. */
const ALL_MAX = 120;
const ARIA = { 'controls.ariaLabel': 'Size of the canvas' };

type LineEdge = Edge<LineData, 'line'>;

function useSteps(): readonly StepNode[] {
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
      const data: StepData = {
        type: node.type,
        label: node.label === '' ? (types.get(node.type)?.label ?? node.type) : node.label,
        caption: captionOf(node, types),
        problem: problems[0]?.message ?? '',
        isError: problems.some((problem) => problem.severity === 'error'),
        order: order.get(node.id) ?? 0,
      };
      const says = [
        data.label,
        data.caption,
        `step ${numbers.get(node.id) ?? 0} of ${total}`,
        problems.length === 0 ? '' : `${problems.length} problem${problems.length === 1 ? '' : 's'}`,
      ];
      steps.push({
        id: node.id,
        type: node.type === 'for_each' ? 'zone' : 'step',
        position: { x: rect.x, y: rect.y },
        width: rect.width,
        height: rect.height,
        data,
        selected: ids.includes(node.id),
        zIndex: node.type === 'for_each' ? 0 : 2,
        ariaRole: 'button',
        ariaLabel: says.filter((word) => word !== '').join(', '),
        domAttributes: {
          tabIndex: node.id === tabStop ? 0 : -1,
          'aria-pressed': ids.includes(node.id),
        },
      });
    }
    return steps;
  }, [flow, types, selection, problemsOf, order]);
}

function useLines(): readonly LineEdge[] {
  const { flow, types, selection, taken } = useBuilder();
  return useMemo(() => {
    const routes = routesOf(flow);
    const places = placesOf(flow);
    return linesOf(flow).flatMap((line): LineEdge[] => {
      const route = routes.get(line.key);
      const [from, to] = [places.get(line.from), places.get(line.to)];
      if (route === undefined || from === undefined || to === undefined) return [];
      const isPicked = selection.kind === 'line' && selection.key === line.key;
      return [
        {
          id: line.key,
          type: 'line',
          source: line.from,
          target: line.to,
          sourceHandle: 'out',
          targetHandle: 'in',
          selected: isPicked,
          zIndex: isPicked ? 3 : 1,
          data: {
            points: route.points,
            labelAt: route.labelAt,
            sourceAt: { x: from.x + from.width / 2, y: from.y + from.height },
            targetAt: { x: to.x + to.width / 2, y: to.y },
            label: sayLine(flow, line, types),
            look: isTimerPort(line.port)
              ? 'timer'
              : line.port === 'error'
                ? 'error'
                : route.isBack
                  ? 'back'
                  : 'plain',
            isTaken: taken.has(`${line.from}\n${line.to}`),
            hasTest: taken.size > 0,
          },
        },
      ];
    });
  }, [flow, types, selection, taken]);
}

function ZoomBar({ onTidy }: { readonly onTidy: () => void }) {
  const { zoom } = useViewport();
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <div className={`pop ${styles['zoom'] ?? ''}`} role="group" aria-label="Size of the canvas">
      <Button isSmall look="quiet" icon="minus" label="Further" onClick={() => void zoomOut()} />
      <Button
        isSmall
        look="quiet"
        onClick={() => void fitView({ padding: 0.12, maxZoom: 1 })}
        title="Show all of it"
      >
        {Math.round(zoom * 100)} %
      </Button>
      <Button isSmall look="quiet" icon="plus" label="Closer" onClick={() => void zoomIn()} />
      <Button isSmall look="quiet" onClick={onTidy}>
        Tidy up
      </Button>
    </div>
  );
}

/* The engine lays the flow out; here its places are only written down. */
function useTidy(): () => void {
  const { flow, dispatch } = useBuilder();
  const { fitView } = useReactFlow();
  return () => {
    const tidy = async () => {
      const picture = await ok(
        api.POST('/api/pictures', { params: { query: { layout: 'auto' } }, body: flow }),
      );
      const moves = picture.nodes
        .filter((node) => findNode(flow, node.id) !== undefined)
        .map((node) => ({ id: node.id, x: snap(node.x), y: snap(node.y) }));
      dispatch({ kind: 'moveNodes', moves, tidy: true });
      await fitView({ padding: 0.12, maxZoom: 1, duration: 0 });
    };
    tidy().catch(() => announce('The engine does not answer, so nothing was tidied up.'));
  };
}

function CanvasInside() {
  const builder = useBuilder();
  const { flow, dispatch, select, openPanel, openAdd } = builder;
  const steps = useSteps();
  const lines = useLines();
  const box = useRef<HTMLDivElement>(null);
  const { setCenter, getZoom, screenToFlowPosition } = useReactFlow();
  const tidy = useTidy();
  // While something is dragged, React Flow's places count; the drop is one command.
  const [shown, setShown] = useState<{ readonly from: readonly StepNode[]; readonly nodes: StepNode[] }>({
    from: steps,
    nodes: [...steps],
  });
  if (shown.from !== steps) setShown({ from: steps, nodes: [...steps] });

  const onNodesChange = useCallback((changes: NodeChange<StepNode>[]) => {
    const ours = changes.filter((change) => change.type === 'position' || change.type === 'dimensions');
    if (ours.length > 0) setShown((now) => ({ ...now, nodes: applyNodeChanges(ours, now.nodes) }));
  }, []);

  const focusStep = useCallback((id: string) => {
    requestAnimationFrame(() => {
      box.current
        ?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
        ?.focus({ preventScroll: true });
    });
  }, []);
  const reveal = useCallback(
    (id: string) => {
      const rect = placesOf(flow).get(id);
      const area = box.current?.getBoundingClientRect();
      if (rect === undefined || area === undefined) return;
      const [a, b] = [
        screenToFlowPosition({ x: area.left, y: area.top }),
        screenToFlowPosition({ x: area.right, y: area.bottom }),
      ];
      const isSeen =
        rect.x >= a.x && rect.y >= a.y && rect.x + rect.width <= b.x && rect.y + rect.height <= b.y;
      if (!isSeen)
        void setCenter(rect.x + rect.width / 2, rect.y + rect.height / 2, { zoom: getZoom(), duration: 0 });
    },
    [flow, setCenter, getZoom, screenToFlowPosition],
  );
  const chosen = builder.selection.kind === 'nodes' ? builder.selection.ids[0] : undefined;
  useEffect(() => {
    if (chosen !== undefined) reveal(chosen);
  }, [chosen, reveal]);
  const keys = useCanvasKeys(focusStep);

  const connect = ({ source, target }: Connection) => {
    const node = findNode(flow, source);
    if (node !== undefined)
      dispatch({ kind: 'connect', from: source, port: usualPort(node.type), to: target });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement) return;
    keys(event);
  };
  return (
    // The steps inside have the focus; keys bubble to here.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={box} className={styles['canvas']} onKeyDown={onKeyDown} data-region="canvas">
      <ReactFlow<StepNode, LineEdge>
        nodes={shown.nodes}
        edges={lines as LineEdge[]}
        nodeTypes={NODE_TYPES}
        edgeTypes={LINE_TYPES}
        onNodesChange={onNodesChange}
        onNodeClick={(event, node) => {
          select({
            kind: 'nodes',
            ids:
              event.shiftKey && builder.selection.kind === 'nodes'
                ? [...new Set([...builder.selection.ids, node.id])]
                : [node.id],
          });
          focusStep(node.id);
        }}
        onNodeDoubleClick={() => openPanel()}
        onEdgeClick={(_, line) => select({ kind: 'line', key: line.id })}
        onPaneClick={() => select({ kind: 'none' })}
        onConnect={connect}
        onNodeDragStop={(_, node, nodes) => {
          const moves = (nodes.length > 0 ? nodes : [node]).map(({ id, position }) => ({
            id,
            x: snap(position.x),
            y: snap(position.y),
          }));
          const rects = placesOf(flow);
          const isMoved = moves.some(
            (move) => rects.get(move.id)?.x !== move.x || rects.get(move.id)?.y !== move.y,
          );
          if (isMoved && !dispatch({ kind: 'moveNodes', moves }))
            setShown({ from: steps, nodes: [...steps] });
        }}
        onDoubleClick={(event) => {
          if (event.target instanceof Element && event.target.classList.contains('react-flow__pane'))
            openAdd({
              place: {
                kind: 'loose',
                at: snapPoint(screenToFlowPosition({ x: event.clientX, y: event.clientY })),
              },
              at: { x: event.clientX, y: event.clientY },
              opener: null,
            });
        }}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomOnDoubleClick={false}
        nodeDragThreshold={4}
        snapToGrid
        snapGrid={[GRID, GRID]}
        minZoom={0.15}
        maxZoom={2}
        fitView
        fitViewOptions={{ padding: 0.12, maxZoom: 1 }}
        onlyRenderVisibleElements={steps.length > ALL_MAX}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={ARIA}
        elevateNodesOnSelect={false}
      >
        <Background variant={BackgroundVariant.Dots} gap={16} size={1.5} />
      </ReactFlow>
      <ZoomBar onTidy={tidy} />
    </div>
  );
}

const snapPoint = ({ x, y }: { readonly x: number; readonly y: number }) => ({ x: snap(x), y: snap(y) });

export function Canvas() {
  return (
    <ReactFlowProvider>
      <CanvasInside />
    </ReactFlowProvider>
  );
}
