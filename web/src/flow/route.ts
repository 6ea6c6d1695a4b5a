/* flow/route.ts — the way of each line of a document between its steps, as it is drawn on the canvas.
 *
 * Not here: how a line goes (ways.ts), and where its name and its plus stand (marks.ts). */
import { type Flow, type LineKey, linesOf, type NodeId, nodesOf } from './flow';
import { placesOf, type Rect } from './layout';
import { memoInPieces, type Pieces } from './pieces';
import { isErrorPort } from './roles';
import { isTimerPort } from './steps/read';
import { type Joint, type Route, waysOf } from './ways';

const jointsOf = (flow: Flow): readonly Joint[] =>
  linesOf(flow).map(({ key, from, to, port }) => ({
    key,
    from,
    to,
    meaning: isTimerPort(port) ? 'timer' : isErrorPort(port) ? 'error' : 'usual',
    isBody: port === 'body',
  }));

const routes = memoInPieces(function* (flow): Pieces<ReadonlyMap<LineKey, Route>> {
  const places = placesOf(flow);
  return yield* waysOf(jointsOf(flow), places, zonesOver(flow, places));
});

export const routesOf = routes.now;
/** The same between frames. */
export const routesInPieces = routes.inPieces;

/* The zone that a step stands in does not stand in the way of its lines. */
function zonesOver(flow: Flow, places: ReadonlyMap<NodeId, Rect>): ReadonlyMap<NodeId, Rect> {
  const zones = new Map<NodeId, Rect>();
  for (const node of nodesOf(flow)) {
    const zone = node.parent === null ? undefined : places.get(node.parent);
    if (zone !== undefined) zones.set(node.id, zone);
  }
  return zones;
}
