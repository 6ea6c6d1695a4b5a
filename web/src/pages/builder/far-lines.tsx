/* pages/builder/far-lines.tsx — all lines of a large flow as one path: thousands of elements cost a frame each time the canvas is zoomed. */
import { ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';

import type { Flow } from '../../flow/flow';
import { pathOf, routesOf } from '../../flow/route';
import styles from './canvas.module.css';

export const FarLines = memo(function FarLines({ flow }: { readonly flow: Flow }) {
  const path = useMemo(
    () => [...routesOf(flow).values()].map(({ points }) => pathOf(points)).join(''),
    [flow],
  );
  return (
    <ViewportPortal>
      <svg className={styles['far']} aria-hidden="true">
        <path d={path} />
      </svg>
    </ViewportPortal>
  );
});
