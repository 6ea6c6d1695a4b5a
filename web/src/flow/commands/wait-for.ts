/* flow/commands/wait-for.ts — gives a "Wait for event" an event of its own: a trigger that starts nothing and belongs to runs that wait. */
import type { Handler } from '../command';
import { addNodes, setFieldOf } from '../edit';
import { findNode, isStartType, nameOf } from '../flow';
import { freePlace, hasPlaces, placesOf } from '../layout';
import { newId } from '../new-id';
import { t } from '../../texts/flow';

const GAP = 72;

export const waitFor: Handler<'waitFor'> = {
  says: (flow, { id }) => t.gaveAnEvent(nameOf(flow, id)),
  refuses: (flow, { id, type }) => {
    if (findNode(flow, id)?.type !== 'wait_event') return t.thatStepDoesNotWait;
    return isStartType(type) ? null : t.thatIsNoEvent;
  },
  apply: (flow, { id, type, label }, highest) => {
    const trigger = newId(type, highest + 1);
    const near = placesOf(flow).get(id);
    const position =
      hasPlaces(flow) && near !== undefined
        ? freePlace(placesOf(flow).values(), { x: near.x + near.width + GAP, y: near.y }, type)
        : null;
    // An event that no run waits for is ignored instead of starting one.
    const added = addNodes(flow, [
      { id: trigger, type, label, config: { onMatch: 'MapOrDiscard' }, parent: null, position },
    ]);
    const wait = findNode(added, id);
    return wait === undefined ? flow : setFieldOf(added, wait, ['trigger'], trigger);
  },
};
