/* api/picture-places.ts — steps of a picture stand where the canvas of the builder shows them: flow/layout.ts alone says where the steps of a
 * document without places stand. The engine's own layout is for whoever has no such code, and for families that the canvas does not edit.
 *
 * Not here: the lines between the steps (ui/picture-ways.ts). The code comes with the first picture that needs it. */
import { childrenOf, findNode, type Flow, openValue, roleOf } from '../flow/flow';
import { addStatesFormat, hasStates } from '../flow/format';
import { type Json, parseJson } from '../flow/json';
import { freePlace, placesOf, type Rect, sizeOf } from '../flow/layout';
import { loadTexts } from '../texts/language';
import type { Picture, PictureNode } from './pictures';

const MARGIN = 28;
const GAP = 48;
/** The line between has a name. */
const GAP_BESIDE = 96;
const DEPTH_MAX = 32;

const bottomOf = ({ y, height }: Rect) => y + height;

async function bringFormatOf(document: Json): Promise<void> {
  if (!hasStates(document)) return;
  await loadTexts(['serverless']);
  addStatesFormat((await import('../flow/serverless/format')).statesFormat);
}

/* An end that states share stands below the lowest of them; what undoes a step stands beside it. */
function freeRect(picture: Picture, node: PictureNode, places: ReadonlyMap<string, Rect>): Rect {
  const isEnd = node.kind === 'end';
  const size = sizeOf(isEnd ? 'end' : node.type);
  const before = picture.edges.flatMap(({ from, to }) => (to === node.id ? (places.get(from) ?? []) : []));
  const [lowest = { x: 0, y: 0, width: 0, height: 0 }] = before.sort((a, b) => bottomOf(b) - bottomOf(a));
  const below = Math.max(0, ...[...places.values()].map(bottomOf)) + GAP;
  const wanted =
    isEnd || before.length === 0
      ? { x: lowest.x + (lowest.width - size.width) / 2, y: below }
      : { x: lowest.x + lowest.width + GAP_BESIDE, y: lowest.y };
  return { ...freePlace(places.values(), wanted, node.type), ...size };
}

/* The step of the picture that another one is inside of. A branch of states has a zone on the canvas alone. */
function zoneOf(flow: Flow, id: string, shown: ReadonlySet<string>): string | null {
  let parent = findNode(flow, id)?.parent ?? null;
  for (let depth = 0; depth < DEPTH_MAX && parent !== null && !shown.has(parent); depth++)
    parent = findNode(flow, parent)?.parent ?? null;
  return parent;
}

const isZone = (flow: Flow, { id }: PictureNode): boolean =>
  childrenOf(flow, id).length > 0 || roleOf(findNode(flow, id)?.type ?? '') === 'loop';

/* Zones are those of the canvas, and a line from a zone to a step inside leads in. */
function withZones(picture: Picture, flow: Flow): Picture {
  const shown = new Set(picture.nodes.map(({ id }) => id));
  const nodes = picture.nodes.map((node) =>
    findNode(flow, node.id) === undefined
      ? node
      : { ...node, zone: zoneOf(flow, node.id, shown), isZone: isZone(flow, node) },
  );
  const zones = new Map(nodes.map(({ id, zone }) => [id, zone]));
  const edges = picture.edges.map((edge) =>
    zones.get(edge.to) === edge.from ? { ...edge, kind: 'inward' as const } : edge,
  );
  return { ...picture, nodes, edges };
}

function withRects(picture: Picture, nodes: Picture['nodes']): Picture {
  const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN;
  const right = Math.max(...nodes.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...nodes.map(({ y, height }) => y + height)) + MARGIN;
  return { ...picture, isPlaced: true, nodes, left, top, width: right - left, height: bottom - top };
}

/** The picture as the canvas has it; the picture itself if the canvas cannot show the document. */
export async function placedAsOnCanvas(picture: Picture, text: string): Promise<Picture> {
  const outcome = parseJson(text);
  if (!outcome.ok || picture.nodes.length === 0) return picture;
  await bringFormatOf(outcome.value);
  const opened = openValue(outcome.value);
  if (opened.kind !== 'flow') return picture;
  const zoned = withZones(picture, opened.flow);
  const places = new Map(placesOf(opened.flow));
  for (const node of zoned.nodes)
    if (!places.has(node.id)) places.set(node.id, freeRect(zoned, node, places));
  return withRects(
    zoned,
    zoned.nodes.map((node) => ({ ...node, ...places.get(node.id) })),
  );
}
