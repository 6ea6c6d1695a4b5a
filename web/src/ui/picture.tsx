/* ui/picture.tsx — the engine's picture of a flow, as SVG. The engine laid it out; here it is drawn, marked and chosen from.
 *
 * With `marks` it is the picture of a run: lines taken are dark, the rest is pale, badges stand where the run stands.
 * Keyboard: one tab stop; arrows go to the nearest step in that direction; Enter or Space chooses. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';

import type { Picture as PictureData, PictureEdge, PictureNode } from '../api/pictures';
import { t } from '../texts/ui';
import { Icon } from './icon';
import { kindLook } from './kinds';
import { sayCaption, sayLineLabel } from './line-words';
import { type Label, placeLabels } from './picture-labels';
import { growsOf, pathOf } from './picture-path';
import { nearestNode } from './picture-walk';
import { withWays } from './picture-ways';
import styles from './picture.module.css';
import { lookOf } from './words';

export interface NodeMark {
  /** done, failed, person, waiting or running. */
  readonly state: string;
  /** A few words below the step: "Failed, 3 tries". */
  readonly badge?: string;
  /** Instead of the picture's caption: "Approved after 2 h". */
  readonly caption?: string;
  readonly visits?: number;
}

export interface PictureMarks {
  readonly nodes: ReadonlyMap<string, NodeMark>;
  /** Lines that were taken, as `from\nto`. */
  readonly taken: ReadonlySet<string>;
}

export type Change = 'added' | 'removed' | 'changed';

interface PictureProps {
  readonly picture: PictureData;
  /** The name of the picture: "Picture of the run, version 7". */
  readonly label: string;
  readonly marks?: PictureMarks;
  readonly changes?: ReadonlyMap<string, Change>;
  /** The problems of steps, in words. */
  readonly notes?: ReadonlyMap<string, string>;
  readonly selected?: string | null;
  /** Absent: a still picture, such as a thumbnail, that takes no focus. */
  readonly onSelect?: (id: string) => void;
  /** Which steps can be chosen; absent: all. The others are pale. */
  readonly isChoosable?: (node: PictureNode) => boolean;
  /** Lines that a comparison marks, as lineKey() names them. */
  readonly lineChanges?: ReadonlyMap<string, Change>;
  /** Pixels per unit; absent: as large as its place. */
  readonly scale?: number;
}

function widened(node: PictureNode, grows: number): PictureNode {
  return grows === 0 ? node : { ...node, x: node.x - grows, width: node.width + 2 * grows };
}

export const takenKey = (from: string, to: string) => `${from}\n${to}`;
export const lineKey = (from: string, to: string, label: string) => `${from}\n${to}\n${label}`;

const isAny = () => true;

type EdgeLook = 'plain' | 'idle' | 'taken' | 'timer' | 'error';

function edgeLook(edge: PictureEdge, marks: PictureMarks | undefined): EdgeLook {
  if (marks !== undefined) return marks.taken.has(takenKey(edge.from, edge.to)) ? 'taken' : 'idle';
  return edge.kind === 'timer' || edge.kind === 'error' ? edge.kind : 'plain';
}

function Edge({
  edge,
  to,
  grows,
  label,
  look,
  change,
  tip,
}: {
  edge: PictureEdge;
  grows: number;
  to: PictureNode | undefined;
  label: Label | undefined;
  look: EdgeLook;
  change: Change | undefined;
  tip: string;
}) {
  const dash = edge.kind === 'timer' ? styles['timer'] : edge.kind === 'error' ? styles['error'] : '';
  return (
    <g className={styles['line']} {...(change === undefined ? {} : { 'data-change': change })}>
      <path
        className={`e ${look} ${dash ?? ''}`}
        d={pathOf(edge, to, grows)}
        markerEnd={`url(#${tip}-${look})`}
      />
      {label !== undefined && (
        <g>
          {label.isCut && <title>{sayLineLabel(edge.label)}</title>}
          <rect
            className="back"
            x={label.x - label.width / 2}
            y={label.y - label.height / 2}
            width={label.width}
            height={label.height}
            rx={4}
          />
          {label.lines.map((line, index) => (
            <text
              key={index}
              className={`lab ${look}`}
              x={label.x}
              y={label.y - label.lines.length * 7 + 11 + index * 14}
            >
              {line}
            </text>
          ))}
        </g>
      )}
    </g>
  );
}

function hexagon({ x, y, width, height }: PictureNode, grow: number): string {
  const point = Math.min(14, width / 4);
  const [left, right, top, bottom] = [x - grow, x + width + grow, y - grow, y + height + grow];
  const middle = y + height / 2;
  return `M${left + point} ${top}H${right - point}L${right} ${middle}L${right - point} ${bottom}H${left + point}L${left} ${middle}z`;
}

function Outline({ node, className, grow = 0 }: { node: PictureNode; className: string; grow?: number }) {
  const { shape } = kindLook(node.kind, node.type);
  if (shape === 'hexagon') return <path className={className} d={hexagon(node, grow)} />;
  const radius = shape === 'square' ? 2 : shape === 'box' ? 9 : node.height / 2;
  return (
    <rect
      className={className}
      x={node.x - grow}
      y={node.y - grow}
      width={Math.max(0, node.width + 2 * grow)}
      height={Math.max(0, node.height + 2 * grow)}
      rx={Math.max(0, radius + grow)}
    />
  );
}

function Badge({ node, mark }: { node: PictureNode; mark: NodeMark }) {
  const look = lookOf(mark.state);
  return (
    <foreignObject x={node.x + 4} y={node.y + node.height - 8} width={Math.max(180, node.width)} height={24}>
      <span className={`${styles['badge'] ?? ''} ${look.look}`}>
        <Icon name={look.icon} small />
        {mark.badge}
      </span>
    </foreignObject>
  );
}

function NodeText({ node, caption, visits }: { node: PictureNode; caption: string; visits: number }) {
  const { icon, shape } = kindLook(node.kind, node.type);
  const inset = shape === 'hexagon' || shape === 'pill' || shape === 'double' ? 8 : 0;
  return (
    <foreignObject
      x={node.x + inset}
      y={node.y}
      width={Math.max(0, node.width - 2 * inset)}
      height={node.isZone ? 44 : node.height}
    >
      <div className={styles['text']}>
        <Icon name={icon} />
        <span className={styles['words']}>
          <b dir="auto">{node.title}</b>
          {caption !== '' && <small dir="auto">{caption}</small>}
        </span>
        {visits > 1 && <em title={t.visits(visits)}>{visits}×</em>}
      </div>
    </foreignObject>
  );
}

/* The picture with its lines and their labels where they are drawn. */
function laid(drawn: PictureProps['picture']) {
  const picture = withWays(drawn);
  const grows = growsOf(picture);
  return { picture, grows, labels: placeLabels(picture.edges, picture.nodes, grows) };
}

export function Picture(props: PictureProps) {
  const { picture: drawn, label, marks, changes, lineChanges, selected = null, onSelect, scale } = props;
  const { picture, grows, labels } = useMemo(() => laid(drawn), [drawn]);
  const { isChoosable = isAny, notes } = props;
  const tip = useId();
  const root = useRef<SVGSVGElement>(null);
  const [kept, setFocus] = useState<string | null>(null);
  const choosable = picture.nodes.filter(isChoosable);
  const focus = [kept, selected, picture.start, choosable[0]?.id].find((id) =>
    choosable.some((node) => node.id === id),
  );
  const byId = new Map(picture.nodes.map((node) => [node.id, node]));
  const onKeyDown = (event: KeyboardEvent, node: PictureNode) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onSelect?.(node.id);
      return;
    }
    const next = nearestNode(choosable, node, event.key);
    if (next === null) return;
    event.preventDefault();
    setFocus(next.id);
    root.current?.querySelector<SVGElement>(`[data-node="${CSS.escape(next.id)}"]`)?.focus();
  };
  const { left, top, width, height } = picture;
  return (
    <svg
      ref={root}
      className={`pic ${styles['picture'] ?? ''}`}
      viewBox={`${left} ${top} ${Math.max(1, width)} ${Math.max(1, height)}`}
      {...(scale === undefined
        ? {}
        : { width: Math.max(1, width) * scale, height: Math.max(1, height) * scale })}
      role={onSelect === undefined ? 'img' : 'group'}
      aria-label={label}
    >
      <defs>
        {(['plain', 'idle', 'taken', 'timer', 'error'] as const).map((look) => (
          <marker
            key={look}
            id={`${tip}-${look}`}
            viewBox="0 0 10 10"
            refX={9}
            refY={5}
            markerWidth={7}
            markerHeight={7}
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path className={`tip ${look}`} d="M0 0L10 5L0 10z" />
          </marker>
        ))}
      </defs>
      {picture.nodes
        .filter((node) => node.isZone)
        .map((node) => (
          <Outline key={node.id} node={node} className={styles['zone'] ?? ''} />
        ))}
      {picture.edges.map((edge) => (
        <Edge
          key={edge.id}
          edge={edge}
          to={byId.get(edge.to)}
          grows={grows}
          label={labels.get(edge.id)}
          look={edgeLook(edge, marks)}
          change={lineChanges?.get(lineKey(edge.from, edge.to, edge.label))}
          tip={tip}
        />
      ))}
      {picture.nodes.map((asked) => {
        const node = asked.isZone ? asked : widened(asked, grows);
        const look = kindLook(node.kind, node.type);
        const mark = marks?.nodes.get(node.id);
        const change = changes?.get(node.id);
        const classes = ['nd', styles['node'] ?? ''];
        const canChoose = onSelect !== undefined && isChoosable(node);
        if ((marks !== undefined && mark === undefined) || (onSelect !== undefined && !canChoose))
          classes.push('off');
        if (mark !== undefined && mark.state !== 'done')
          classes.push(styles['standing'] ?? '', lookOf(mark.state).look);
        if (selected === node.id) classes.push('sel');
        const note = notes?.get(node.id);
        const says = [node.title, mark?.caption ?? sayCaption(node.caption), mark?.badge, change, note]
          .filter(Boolean)
          .join(', ');
        return (
          <g
            key={node.id}
            className={classes.join(' ')}
            data-node={node.id}
            data-kind={look.colour}
            {...(change === undefined ? {} : { 'data-change': change })}
            {...(!canChoose
              ? {}
              : {
                  role: 'button',
                  tabIndex: focus === node.id ? 0 : -1,
                  'aria-pressed': selected === node.id,
                  onClick: () => onSelect(node.id),
                  onFocus: () => setFocus(node.id),
                  onKeyDown: (event: KeyboardEvent) => onKeyDown(event, node),
                })}
          >
            {/* The words of a screen reader and a tooltip. */}
            <title>{says}</title>
            <Outline node={node} className="halo" grow={4} />
            {!node.isZone && <Outline node={node} className="shape" />}
            {look.shape === 'double' && (
              <Outline node={node} className={`shape ${styles['inner'] ?? ''}`} grow={-3} />
            )}
            {look.edge !== undefined && (
              <rect
                className={`bar2 ${styles['edge'] ?? ''}`}
                x={node.x}
                y={look.edge === 'above' ? node.y : node.y + node.height - 4}
                width={node.width}
                height={4}
              />
            )}
            <NodeText
              node={node}
              caption={mark?.caption ?? sayCaption(node.caption)}
              visits={mark?.visits ?? 1}
            />
            {mark?.badge !== undefined && <Badge node={node} mark={mark} />}
            {note !== undefined && (
              <g className={styles['note']} transform={`translate(${node.x + node.width - 2} ${node.y + 2})`}>
                <circle r={9} />
                <text y={4}>!</text>
              </g>
            )}
          </g>
        );
      })}
    </svg>
  );
}
