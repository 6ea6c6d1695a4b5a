/* flow/outline.ts — the flow as a list that a screen reader can read and a person can walk by keyboard. Steps follow each other
 * at one depth; ways of a step that has several are lines below it, each with its steps; where they meet again, the list goes
 * on at the depth of the step. A step that stands somewhere else already is named, not repeated. */
import {
  childrenOf,
  findNode,
  type Flow,
  type FlowLine,
  linesFrom,
  linesOf,
  linesTo,
  memo,
  type NodeId,
  nodesOf,
  startsOf,
} from './flow';

export type OutlineItem =
  | { readonly kind: 'node'; readonly id: NodeId; readonly depth: number; readonly number: number }
  | { readonly kind: 'line'; readonly key: string; readonly depth: number }
  /** The way goes on at a step that stands elsewhere in the list. */
  | { readonly kind: 'jump'; readonly to: NodeId; readonly line: string; readonly depth: number };

const DEPTH_MAX = 24;
/** Lines that are looked at to find where ways meet. A flow of hundreds of decisions gets a flatter list, not a page that hangs. */
const LOOKS_MAX = 300_000;

/** How many may still be looked at. */
interface Looks {
  left: number;
}

function reach(flow: Flow, from: NodeId, looks: Looks): ReadonlyMap<NodeId, number> {
  const found = new Map<NodeId, number>([[from, 0]]);
  const queue = [from];
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] ?? '';
    for (const line of linesFrom(flow, id)) {
      looks.left--;
      if (found.has(line.to)) continue;
      found.set(line.to, (found.get(id) ?? 0) + 1);
      queue.push(line.to);
    }
  }
  return found;
}

const CANDIDATES_MAX = 64;

/* Whether no way leads from `starts` to an end without coming by `gate`; ways back to `from` do not count. */
function isOnEveryWay(
  flow: Flow,
  from: NodeId,
  starts: readonly NodeId[],
  gate: NodeId,
  looks: Looks,
): boolean {
  const seen = new Set<NodeId>([gate, from]);
  const queue = starts.filter((id) => !seen.has(id));
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] ?? '';
    if (seen.has(id)) continue;
    seen.add(id);
    const lines = linesFrom(flow, id);
    looks.left -= lines.length;
    if (lines.length === 0 || looks.left < 0) return false;
    for (const line of lines) if (!seen.has(line.to)) queue.push(line.to);
  }
  return true;
}

/* The nearest step that every way of a step comes to; null: the ways end apart. */
function meeting(flow: Flow, from: NodeId, ways: readonly FlowLine[], looks: Looks): NodeId | null {
  if (looks.left < 0) return null;
  const reached = ways.map((line) => reach(flow, line.to, looks));
  const far = new Map<NodeId, number>();
  for (const map of reached) for (const [id, steps] of map) far.set(id, Math.max(far.get(id) ?? 0, steps));
  const starts = ways.map((line) => line.to);
  const near = [...far].filter(([id]) => id !== from).sort((a, b) => a[1] - b[1]);
  return (
    near.slice(0, CANDIDATES_MAX).find(([id]) => isOnEveryWay(flow, from, starts, id, looks))?.[0] ?? null
  );
}

/* The list depends on what follows what; names and places change far more often than that. */
function hasSameShape(a: Flow, b: Flow): boolean {
  const [nodes, others] = [nodesOf(a), nodesOf(b)];
  const [lines, otherLines] = [linesOf(a), linesOf(b)];
  return (
    nodes.length === others.length &&
    lines.length === otherLines.length &&
    nodes.every(({ id, parent, type }, i) => {
      const other = others[i];
      return id === other?.id && parent === other.parent && type === other.type;
    }) &&
    lines.every(({ key, from, to, port, order }, i) => {
      const other = otherLines[i];
      return (
        key === other?.key &&
        from === other.from &&
        to === other.to &&
        port === other.port &&
        order === other.order
      );
    })
  );
}

let last: { readonly flow: Flow; readonly items: readonly OutlineItem[] } | null = null;

export const outlineOf = memo((flow): readonly OutlineItem[] => {
  if (last === null || !hasSameShape(last.flow, flow)) last = { flow, items: makeOutline(flow) };
  return last.items;
});

function makeOutline(flow: Flow): readonly OutlineItem[] {
  const items: OutlineItem[] = [];
  const looks: Looks = { left: LOOKS_MAX };
  const seen = new Set<NodeId>();
  let number = 0;

  const walk = (start: NodeId, depth: number, stops: ReadonlySet<NodeId>, via: string): void => {
    let id = start;
    let line = via;
    for (;;) {
      if (stops.has(id) && !seen.has(id) && line !== '') return;
      if (seen.has(id)) {
        if (line !== '') items.push({ kind: 'jump', to: id, line, depth });
        return;
      }
      if (findNode(flow, id) === undefined) return;
      seen.add(id);
      items.push({ kind: 'node', id, depth, number: ++number });
      const inside = childrenOf(flow, id);
      const lines = linesFrom(flow, id);
      if (inside.length > 0 && depth < DEPTH_MAX) {
        const body = lines.find((each) => each.port === 'body');
        if (body !== undefined) walk(body.to, depth + 1, new Set(), body.key);
        for (const child of inside) if (!seen.has(child.id)) walk(child.id, depth + 1, new Set(), '');
      }
      const ways = lines.filter((each) => each.port !== 'body');
      const [only] = ways;
      if (only === undefined) return;
      if (ways.length === 1) {
        // A way that is not the usual one is named.
        if (only.port !== 'out' && only.port !== 'done')
          items.push({ kind: 'line', key: only.key, depth: depth + 1 });
        line = only.key;
        id = only.to;
        continue;
      }
      const meet = depth < DEPTH_MAX ? meeting(flow, id, ways, looks) : null;
      const inner = meet === null ? stops : new Set([...stops, meet]);
      for (const way of ways) {
        items.push({ kind: 'line', key: way.key, depth: depth + 1 });
        if (depth < DEPTH_MAX) walk(way.to, depth + 2, inner, way.key);
      }
      if (meet === null || stops.has(meet)) return;
      id = meet;
      line = '';
      if (seen.has(id)) return;
    }
  };

  const roots = [
    ...startsOf(flow),
    ...nodesOf(flow).filter((node) => node.parent === null && linesTo(flow, node.id).length === 0),
  ];
  for (const node of [...roots, ...nodesOf(flow)]) if (!seen.has(node.id)) walk(node.id, 0, new Set(), '');
  return items;
}

export const itemKey = (item: OutlineItem): string => {
  switch (item.kind) {
    case 'node':
      return `n:${item.id}`;
    case 'line':
      return `l:${item.key}`;
    case 'jump':
      return `j:${item.line}`;
  }
};

/** The items that can be folded: those with others below them. */
export const parentsOf = (items: readonly OutlineItem[]): ReadonlySet<string> =>
  new Set(items.flatMap((item, at) => ((items[at + 1]?.depth ?? 0) > item.depth ? [itemKey(item)] : [])));

/** The items that are below nothing that is folded. */
export function shownItems(
  items: readonly OutlineItem[],
  folded: ReadonlySet<string>,
): readonly OutlineItem[] {
  if (folded.size === 0) return items;
  let closed = Infinity;
  return items.filter((item) => {
    if (item.depth > closed) return false;
    closed = folded.has(itemKey(item)) ? item.depth : Infinity;
    return true;
  });
}

/** The number of a step in the outline, from 1: "step 3 of 7". */
export const numbersOf = memo(
  (flow): ReadonlyMap<NodeId, number> =>
    new Map(
      outlineOf(flow).flatMap((item) => (item.kind === 'node' ? [[item.id, item.number] as const] : [])),
    ),
);
