/* pages/builder/canvas-node.tsx — a step on the canvas: its kind's shape and colour, its name, its problem, its turn in the test. */
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { createContext, memo, useContext, useSyncExternalStore } from 'react';

import { isEndType } from '../../flow/roles';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/builder';
import styles from './canvas.module.css';
import { useBuilder } from './context';
import { lookOfType } from './kinds';
import type { Near } from './near';

export interface StepData extends Record<string, unknown> {
  readonly type: string;
  readonly label: string;
  readonly caption: string;
  readonly problem: string;
  readonly isError: boolean;
  readonly order: number;
}

export type StepNode = Node<StepData, 'step' | 'zone'>;

/* Drawn by the style sheet: the step's spoken name says both already. */
function Marks({ data }: { readonly data: StepData }) {
  return (
    <>
      {data.order > 0 && <span className={styles['order']} data-mark={data.order} />}
      {data.problem !== '' && (
        <span className={styles['problem']} data-error={data.isError} data-mark="!" title={data.problem} />
      )}
    </>
  );
}

function Ends({ type }: { readonly type: string }) {
  return (
    <>
      <Handle
        type="target"
        id="in"
        position={Position.Top}
        className={styles['handle']}
        isConnectableStart={false}
      />
      {!isEndType(type) && (
        <Handle type="source" id="out" position={Position.Bottom} className={styles['handle']} />
      )}
    </>
  );
}

/* A step is drawn anew when what it shows has changed, not when the document has. */
function isSameStep(a: NodeProps<StepNode>, b: NodeProps<StepNode>): boolean {
  return (
    a.id === b.id &&
    a.selected === b.selected &&
    a.width === b.width &&
    a.height === b.height &&
    a.data.type === b.data.type &&
    a.data.label === b.data.label &&
    a.data.caption === b.data.caption &&
    a.data.problem === b.data.problem &&
    a.data.isError === b.data.isError &&
    a.data.order === b.data.order
  );
}

/** The part of a large flow that is shown in full; null: all of it. */
export const NearContext = createContext<Near | null>(null);
const NEVER = () => () => undefined;

/* From far away a step is a box of its colour: nobody could read more. */
function useIsNear(id: string): boolean {
  const near = useContext(NearContext);
  return useSyncExternalStore(near?.subscribe ?? NEVER, () => near?.hasStep(id) ?? true);
}

export const CanvasNode = memo(function CanvasNode({ id, data, width, height }: NodeProps<StepNode>) {
  const isNear = useIsNear(id);
  const look = lookOfType(data.type);
  const w = width ?? 0;
  const h = height ?? 0;
  return (
    <div className={styles['step']} data-colour={look.colour} data-shape={look.shape} data-edge={look.edge}>
      {look.shape === 'hexagon' && (
        <svg className={styles['hexagon']} aria-hidden="true" width={w} height={h}>
          <path d={`M16 1H${w - 16}L${w - 1} ${h / 2}L${w - 16} ${h - 1}H16L1 ${h / 2}Z`} />
        </svg>
      )}
      {isNear && (
        <>
          <Icon name={look.icon} />
          <span className={styles['words']}>
            <b dir="auto">{data.label}</b>{' '}
            {look.shape !== 'pill' && look.shape !== 'double' && data.caption !== data.label && (
              <small>{data.caption}</small>
            )}
          </span>
        </>
      )}
      <Marks data={data} />
      <Ends type={data.type} />
    </div>
  );
}, isSameStep);

export const CanvasZone = memo(function CanvasZone({ id, data }: NodeProps<StepNode>) {
  const { openAdd } = useBuilder();
  return (
    <div className={styles['zone']}>
      <header>
        <Icon name="loop" />
        <span className={styles['words']}>
          <b dir="auto">{data.label}</b> <small>{data.caption}</small>
        </span>
        {data.type !== 'PARALLEL' && (
          <button
            type="button"
            tabIndex={-1}
            className="btn quiet icon small nodrag"
            aria-label={t.addAStepInside(data.label)}
            title={t.addAStepInside2}
            onClick={(event) => {
              event.stopPropagation();
              openAdd({
                place: { kind: 'inside', loop: id },
                at: { x: event.clientX, y: event.clientY + 8 },
                opener: event.currentTarget,
              });
            }}
          >
            <Icon name="plus" small />
          </button>
        )}
      </header>
      <Marks data={data} />
      <Ends type={data.type} />
    </div>
  );
});
