/* pages/builder/canvas.tsx — the flow as a picture that can be changed. React Flow pans, zooms and drags; what is drawn comes from
 * the document, and a change goes back as a command. One tab stop: arrows follow the lines.
 *
 * Not here: what a step looks like (canvas-node.tsx), a line (canvas-line.tsx), where they stand (flow/layout.ts, flow/route.ts). */
import './react-flow.css';

import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useOnViewportChange,
  useReactFlow,
  useStore,
  useViewport,
  type Viewport,
} from '@xyflow/react';
import {
  type FocusEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';

import { type Flow, insideOf, startsOf } from '../../flow/flow';
import { formatOf } from '../../flow/format';
import { boundsOf, GRID, placesOf, type Rect, tidyPlacesOf } from '../../flow/layout';
import { Button } from '../../ui/button';
import { t } from '../../texts/builder';
import styles from './canvas.module.css';
import { keepSame, LARGE_MIN, type LineEdge, useLines, useSteps } from './canvas-data';
import { useCanvasHandlers } from './canvas-handlers';
import { CanvasLine, LineActionsContext } from './canvas-line';
import { CanvasNode, CanvasZone, NearContext, type StepNode } from './canvas-node';
import { useBuilder } from './context';
import { later } from './later';
import { LargeLines } from './large-lines';
import { LinePopover } from './line-popover';
import { createNear } from './near';
import { useCanvasKeys } from './use-canvas-keys';
import { useCover } from './use-cover';

/* The same objects in every frame: a new one would make React Flow look at all steps. */
const NO_EDGES: LineEdge[] = [];
const SNAP_GRID: [number, number] = [GRID, GRID];
const PRO = { hideAttribution: true };
const NODE_TYPES = { step: CanvasNode, zone: CanvasZone };
const LINE_TYPES = { line: CanvasLine };
/** Above so many steps only those in sight are in the page. */
const ALL_MAX = 1500;
/* At the bottom stand the buttons for the size. */
const FIT = { padding: { x: '32px', top: '32px', bottom: '64px' }, maxZoom: 1 } as const;
/** A flow that fits only smaller than this cannot be read: it opens where it starts, and has a map. */
const READ_MIN = 0.5;
const READ_ZOOM = 0.85;
/** About what palette, panel and bar take of the window. */
const AROUND = { width: 620, height: 140 };

const placeGuess = () => ({ width: innerWidth - AROUND.width, height: innerHeight - AROUND.height });

/** Whether all of the flow can be read at once. */
function isReadable(flow: Flow): boolean {
  const { width, height } = boundsOf(placesOf(flow));
  const place = placeGuess();
  return Math.min(place.width / Math.max(1, width), place.height / Math.max(1, height)) >= READ_MIN;
}

/** The start in the upper middle, at a size that can be read. */
function viewOfStart(flow: Flow): Viewport {
  const places = placesOf(flow);
  const first = places.get(startsOf(flow)[0]?.id ?? '') ?? [...places.values()][0];
  if (first === undefined) return { x: 0, y: 0, zoom: 1 };
  return {
    x: placeGuess().width / 2 - (first.x + first.width / 2) * READ_ZOOM,
    y: 48 - first.y * READ_ZOOM,
    zoom: READ_ZOOM,
  };
}

const FlowMap = later(() => import('./flow-map').then((it) => it.FlowMap));
const ARIA = { 'controls.ariaLabel': t.sizeOfTheCanvas };

interface ZoomBarProps {
  /** Null: this kind of flow is always tidy. */
  readonly onTidy: (() => void) | null;
  readonly onFind: () => void;
  readonly onFit: () => void;
  /** Somebody chose a size. */
  readonly onZoom: () => void;
}

function ZoomBar({ onTidy, onFind, onFit, onZoom }: ZoomBarProps) {
  const { zoom } = useViewport();
  const { zoomIn, zoomOut } = useReactFlow();
  const by = (change: () => Promise<boolean>) => {
    onZoom();
    void change();
  };
  return (
    <div className={`pop ${styles['zoom'] ?? ''}`} role="group" aria-label={t.sizeOfTheCanvas}>
      <Button isSmall look="quiet" icon="minus" label={t.further} onClick={() => by(zoomOut)} />
      <Button isSmall look="quiet" onClick={onFit} title={t.showAll}>
        {Math.round(zoom * 100)} %
      </Button>
      <Button isSmall look="quiet" icon="plus" label={t.closer} onClick={() => by(zoomIn)} />
      <Button isSmall look="quiet" icon="search" label={t.findAStep} onClick={onFind} />
      {onTidy !== null && (
        <Button isSmall look="quiet" onClick={onTidy}>
          {t.tidyUp}
        </Button>
      )}
    </div>
  );
}

function useTidy(onDone: () => void): () => void {
  const { flow, dispatch } = useBuilder();
  return () => {
    const moves = [...tidyPlacesOf(flow)].map(([id, { x, y }]) => ({ id, x, y }));
    dispatch({ kind: 'moveNodes', moves, tidy: true });
    requestAnimationFrame(onDone);
  };
}

/* Steps inside of a loop that is dragged move with it. */
function carried(
  flow: Flow,
  changes: readonly NodeChange<StepNode>[],
  nodes: readonly StepNode[],
): NodeChange<StepNode>[] {
  return changes.flatMap((change): NodeChange<StepNode>[] => {
    if (change.type !== 'position' || change.position === undefined) return [];
    const inside = insideOf(flow, change.id);
    const loop = inside.length === 0 ? undefined : nodes.find(({ id }) => id === change.id);
    if (loop === undefined) return [];
    const [dx, dy] = [change.position.x - loop.position.x, change.position.y - loop.position.y];
    const ids = new Set(inside.map(({ id }) => id));
    return nodes
      .filter(({ id }) => ids.has(id))
      .map(({ id, position }) => ({
        type: 'position',
        id,
        position: { x: position.x + dx, y: position.y + dy },
        dragging: change.dragging ?? false,
      }));
  });
}

function CanvasInside() {
  const builder = useBuilder();
  const { flow, select, openFind } = builder;
  const steps = useSteps();
  const isLarge = steps.length > LARGE_MIN;
  const { isPlaced } = formatOf(flow);
  const [near] = useState(createNear);
  const lines = useLines(isLarge);
  const box = useRef<HTMLDivElement>(null);
  const { lay, onPointerMove } = useCover(box);
  const { setCenter, getZoom, getViewport, screenToFlowPosition, fitView } = useReactFlow();
  // Until somebody moves or zooms the canvas, it shows all of the flow, also when the test takes a part of its place.
  const [opensWhole] = useState(() => isReadable(flow));
  const [viewAtFirst] = useState(() => viewOfStart(flow));
  const isFitted = useRef(opensWhole);
  const hasMap = useMemo(() => !isReadable(flow), [flow]);
  const fit = useCallback(() => {
    isFitted.current = true;
    void fitView(FIT);
  }, [fitView]);
  const tidy = useTidy(fit);
  // While something is dragged, React Flow's places count; the drop is one command.
  const [shown, setShown] = useState<{ readonly from: readonly StepNode[]; readonly nodes: StepNode[] }>({
    from: steps,
    nodes: [...steps],
  });
  if (shown.from !== steps) setShown({ from: steps, nodes: keepSame(steps, shown.nodes) });

  const onNodesChange = useCallback(
    (changes: NodeChange<StepNode>[]) => {
      const ours = changes.filter((change) => change.type === 'position' || change.type === 'dimensions');
      if (ours.length === 0) return;
      setShown((now) => ({
        ...now,
        nodes: applyNodeChanges([...ours, ...carried(flow, ours, now.nodes)], now.nodes),
      }));
    },
    [flow],
  );

  const focusStep = useCallback((id: string) => {
    const focus = () => {
      const step = box.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
      step?.focus({ preventScroll: true });
      return step !== null && step !== undefined;
    };
    // One that was out of sight is drawn with the next frame.
    if (!focus()) requestAnimationFrame(focus);
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
      if (isSeen) return;
      if (isFitted.current) fit();
      else
        void setCenter(rect.x + rect.width / 2, rect.y + rect.height / 2, {
          zoom: Math.max(getZoom(), READ_MIN),
          duration: 0,
        });
    },
    [flow, fit, setCenter, getZoom, screenToFlowPosition],
  );
  const chosen = builder.selection.kind === 'nodes' ? builder.selection.ids[0] : undefined;
  useEffect(() => {
    if (chosen !== undefined) reveal(chosen);
  }, [chosen, reveal]);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const onResize = useEffectEvent(() => {
    if (isFitted.current) fit();
    else if (chosen !== undefined) reveal(chosen);
  });
  useEffect(() => onResize(), [width, height]);
  const look = useCallback(
    (view: Viewport, isMoving: boolean) => {
      if (isLarge) near.look({ ...view, width, height }, isMoving);
    },
    [isLarge, near, width, height],
  );
  // Nothing moves when it opens where it starts.
  useEffect(() => {
    if (width > 0) look(getViewport(), false);
  }, [look, width, getViewport]);
  useOnViewportChange({
    onChange: useCallback(
      (view) => {
        lay();
        look(view, true);
      },
      [lay, look],
    ),
    onEnd: useCallback((view) => look(view, false), [look]),
  });
  useEffect(() => {
    if (isLarge) near.setSteps(new Map([...placesOf(flow)].map(([id, rect]) => [id, middleOf(rect)])));
  }, [isLarge, near, flow]);
  const onMoveStart = useCallback((event: unknown) => {
    if (event !== null) isFitted.current = false;
  }, []);
  const keys = useCanvasKeys(focusStep);
  const onRefused = useCallback(() => setShown((now) => ({ ...now, nodes: [...now.from] })), []);
  const { lineActions, ...handlers } = useCanvasHandlers(focusStep, onRefused);
  const pickedKey = builder.selection.kind === 'line' ? builder.selection.key : null;
  const picked = pickedKey === null ? undefined : lines.find((line) => line.id === pickedKey);
  // A step that gets the focus by keys may be out of sight.
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const id = target.classList.contains('react-flow__node') ? target.dataset['id'] : undefined;
    if (id !== undefined && target.matches(':focus-visible')) reveal(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement) return;
    keys(event);
  };
  return (
    <>
      {/* The steps inside have the focus; keys bubble to here. */}
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        ref={box}
        className={styles['canvas']}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        data-region="canvas"
      >
        <LineActionsContext value={lineActions}>
          <NearContext value={isLarge ? near : null}>
            <ReactFlow<StepNode, LineEdge>
              nodes={shown.nodes}
              edges={isLarge ? NO_EDGES : (lines as LineEdge[])}
              nodeTypes={NODE_TYPES}
              edgeTypes={LINE_TYPES}
              onNodesChange={onNodesChange}
              {...handlers}
              onNodeDrag={lay}
              nodesDraggable={isPlaced}
              nodesFocusable={false}
              edgesFocusable={false}
              disableKeyboardA11y
              deleteKeyCode={null}
              selectionKeyCode={null}
              multiSelectionKeyCode={null}
              zoomOnDoubleClick={false}
              nodeDragThreshold={4}
              snapToGrid
              snapGrid={SNAP_GRID}
              minZoom={0.15}
              maxZoom={2}
              fitView={opensWhole}
              fitViewOptions={FIT}
              {...(opensWhole ? {} : { defaultViewport: viewAtFirst })}
              onMoveStart={onMoveStart}
              onlyRenderVisibleElements={steps.length > ALL_MAX}
              proOptions={PRO}
              ariaLabelConfig={ARIA}
              elevateNodesOnSelect={false}
            >
              {/* To draw dots takes the browser longer than all steps and lines of a large flow. */}
              {!isLarge && <Background variant={BackgroundVariant.Dots} gap={16} size={1.5} />}
              {isLarge && <LargeLines flow={flow} lines={lines} steps={shown.nodes} near={near} />}
            </ReactFlow>
          </NearContext>
        </LineActionsContext>
        <ZoomBar
          onTidy={isPlaced ? tidy : null}
          onFind={openFind}
          onFit={fit}
          onZoom={() => {
            isFitted.current = false;
          }}
        />
        {hasMap && <FlowMap />}
      </div>
      {picked?.data !== undefined && (
        <LinePopover
          lineKey={picked.id}
          marks={picked.data.marks}
          hasLabel={picked.data.label !== ''}
          onLeave={(node) => {
            select({ kind: 'nodes', ids: [node] });
            focusStep(node);
          }}
        />
      )}
    </>
  );
}

const middleOf = ({ x, y, width, height }: Rect) => ({ x: x + width / 2, y: y + height / 2 });

export function Canvas() {
  return (
    <ReactFlowProvider>
      <CanvasInside />
    </ReactFlowProvider>
  );
}
