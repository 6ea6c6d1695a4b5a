/* ui/kinds.ts — the kinds of steps: `pawl graph`'s colours, outlines and icons. The words come from the engine. */
import type { IconName } from './icon';

export interface KindLook {
  readonly icon: IconName;
  /** The token's name: --kind-NAME and --kind-NAME-line. */
  readonly colour: string;
  readonly shape: 'box' | 'square' | 'pill' | 'hexagon' | 'double';
  /** A thick edge above or below: a split ends below, a join begins above. */
  readonly edge?: 'above' | 'below';
}

const KINDS: Readonly<Record<string, KindLook>> = {
  start: { icon: 'start', colour: 'start', shape: 'pill' },
  task: { icon: 'web', colour: 'task', shape: 'box' },
  child: { icon: 'flows', colour: 'task', shape: 'box' },
  person: { icon: 'person', colour: 'person', shape: 'box' },
  wait: { icon: 'waiting', colour: 'wait', shape: 'box' },
  event: { icon: 'event', colour: 'signal', shape: 'pill' },
  signal: { icon: 'signal', colour: 'signal', shape: 'pill' },
  state: { icon: 'entity', colour: 'wait', shape: 'box' },
  choose: { icon: 'decision', colour: 'choose', shape: 'hexagon' },
  table: { icon: 'table', colour: 'table', shape: 'square' },
  set: { icon: 'set', colour: 'set', shape: 'square' },
  fork: { icon: 'split', colour: 'split', shape: 'square', edge: 'below' },
  join: { icon: 'split', colour: 'split', shape: 'square', edge: 'above' },
  scope: { icon: 'loop', colour: 'scope', shape: 'box' },
  end: { icon: 'end', colour: 'end', shape: 'double' },
  error: { icon: 'failed', colour: 'signal', shape: 'double' },
};

/** Types that have an icon of their own within their kind, by a word of the type. */
const TYPE_ICONS: readonly (readonly [RegExp, IconName])[] = [
  [/mail/i, 'mail'],
  [/sql|database|query/i, 'database'],
  [/job|worker|service|compute/i, 'worker'],
  [/http|rest|web|call/i, 'web'],
];

const UNKNOWN: KindLook = { icon: 'worker', colour: 'task', shape: 'box' };

/** How a step of this kind looks; `type` is the dialect's word and chooses among the icons of tasks. */
export function kindLook(kind: string, type = ''): KindLook {
  const look = KINDS[kind] ?? UNKNOWN;
  if (kind !== 'task') return look;
  const own = TYPE_ICONS.find(([pattern]) => pattern.test(type))?.[1];
  return own === undefined ? { ...look, icon: 'worker' } : { ...look, icon: own };
}
