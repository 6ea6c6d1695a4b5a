/* flow/serverless/types.ts — the types of states: their names, and what can be added. Their fields are those of the state panel
 * (pages/builder/state-panel.tsx). */
import type { NodeType, NodeTypes } from '../data';
import type { Palette } from '../format';
import { t } from '../../texts/serverless';
import { BRANCH } from './read';

const KINDS: { readonly [type: string]: string } = {
  start: 'trigger',
  OPERATION: 'task',
  EVENT: 'event',
  SWITCH: 'gateway',
  DELAY: 'wait',
  PARALLEL: 'gateway',
  SUBFLOW: 'task',
  RELAY: 'task',
  [BRANCH]: 'task',
};

const LABELS: { readonly [type: string]: string } = { ...t.TYPES, start: t.start, [BRANCH]: t.branch };

const TYPES: NodeTypes = new Map(
  Object.entries(KINDS).map(([type, kind]): readonly [string, NodeType] => [
    type,
    { type, label: LABELS[type] ?? type, category: 'states', kind, ports: [], params: [], outputs: [] },
  ]),
);

export const stateTypes = (): NodeTypes => TYPES;

export const statesPalette: Palette = [
  {
    title: t.doThis,
    entries: [
      { type: 'OPERATION', help: t.callFunctions },
      { type: 'SUBFLOW', help: t.runAnotherFlow },
      { type: 'RELAY', help: t.addData },
    ],
  },
  {
    title: t.wait,
    entries: [
      { type: 'DELAY', help: t.forATime },
      { type: 'EVENT', help: t.untilSomethingArrives },
    ],
  },
  {
    title: t.chooseAWay,
    entries: [
      { type: 'SWITCH', help: t.theFirstThatHolds },
      { type: 'PARALLEL', help: t.severalAtOnce },
    ],
  },
];
