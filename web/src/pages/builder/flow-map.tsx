/* pages/builder/flow-map.tsx — the map of a large flow: all steps as boxes of their colours, and what of them is in sight. A press goes there,
 * arrows move what is in sight. One path for each colour, drawn anew only when steps have other places. */
import { useReactFlow, useStore, useStoreApi, type Viewport } from '@xyflow/react';
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useMemo, useRef } from 'react';

import { nodesOf } from '../../flow/flow';
import { boundsOf, placesOf, type Rect } from '../../flow/layout';
import { t } from '../../texts/builder';
import styles from './canvas.module.css';
import { useBuilder } from './context';
import { lookOfType } from './kinds';

const WIDTH = 208;
const HEIGHT = 152;
/** The smallest box that can be seen, in pixels of the map. */
const BOX_MIN = 1.5;

/** How a flow of these bounds fits into the map. */
export function mapScale(bounds: Rect): {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
} {
  const scale = Math.min(WIDTH / Math.max(1, bounds.width), HEIGHT / Math.max(1, bounds.height));
  return {
    scale,
    left: (WIDTH - bounds.width * scale) / 2 - bounds.x * scale,
    top: (HEIGHT - bounds.height * scale) / 2 - bounds.y * scale,
  };
}

/** The middle of what is to be in sight, so that no more than needed lies outside of the flow: a pixel of the map is a long way. */
export function within(wanted: number, seen: number, from: number, length: number): number {
  if (length <= seen) return from + length / 2;
  return Math.min(from + length - seen / 2, Math.max(from + seen / 2, wanted));
}

export function FlowMap() {
  const { flow } = useBuilder();
  const { setCenter, getViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const sight = useRef<HTMLElement>(null);
  const places = placesOf(flow);
  const bounds = useMemo(() => boundsOf(places), [places]);
  const { scale, left, top } = mapScale(bounds);
  const paths = useMemo(() => {
    const byColour = new Map<string, string>();
    for (const { id, type } of nodesOf(flow)) {
      const rect = places.get(id);
      if (rect === undefined) continue;
      const { colour } = lookOfType(type);
      const [x, y] = [rect.x * scale + left, rect.y * scale + top];
      const [wide, high] = [Math.max(BOX_MIN, rect.width * scale), Math.max(BOX_MIN, rect.height * scale)];
      const box = `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}h-${wide.toFixed(1)}z`;
      byColour.set(colour, (byColour.get(colour) ?? '') + box);
    }
    return [...byColour];
  }, [flow, places, scale, left, top]);

  const show = useCallback(
    ({ x, y, zoom }: Viewport) => {
      const { style } = sight.current ?? {};
      if (style === undefined) return;
      style.width = `${Math.min(WIDTH * 4, (width / zoom) * scale)}px`;
      style.height = `${Math.min(HEIGHT * 4, (height / zoom) * scale)}px`;
      style.transform = `translate(${(-x / zoom) * scale + left}px, ${(-y / zoom) * scale + top}px)`;
    },
    [width, height, scale, left, top],
  );
  // React Flow has one listener for its view, which is the canvas.
  const store = useStoreApi();
  useEffect(() => {
    const tell = () => {
      const [x, y, zoom] = store.getState().transform;
      show({ x, y, zoom });
    };
    tell();
    return store.subscribe(tell);
  }, [store, show]);

  const goTo = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const { zoom } = getViewport();
    void setCenter(
      within((event.clientX - box.left - left) / scale, width / zoom, bounds.x, bounds.width),
      within((event.clientY - box.top - top) / scale, height / zoom, bounds.y, bounds.height),
      { zoom },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y, zoom } = getViewport();
    const [dx = 0, dy = 0] = by;
    void setCenter((width / 2 - x + (dx * width) / 2) / zoom, (height / 2 - y + (dy * height) / 2) / zoom, {
      zoom,
    });
  };
  return (
    <button
      type="button"
      className={`pop ${styles['map'] ?? ''}`}
      aria-label={t.mapOfTheFlow}
      title={t.mapOfTheFlow}
      onPointerDown={goTo}
      onPointerMove={(event) => {
        if (event.buttons === 1) goTo(event);
      }}
      onKeyDown={onKeyDown}
    >
      <svg aria-hidden="true" width={WIDTH} height={HEIGHT}>
        {paths.map(([colour, path]) => (
          <path key={colour} data-colour={colour} d={path} />
        ))}
      </svg>
      <i ref={sight} />
    </button>
  );
}
