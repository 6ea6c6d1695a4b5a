/* flow/command.ts — every way to change a flow, as data. A new command is a member of Command and a line of HANDLERS; the
 * compiler asks for the rest. Canvas, outline, panel and text change a document by these and by nothing else. */
import { addNode } from './commands/add-node';
import { deleteNodes } from './commands/delete-nodes';
import { setDecisions, setField, setLabel, setMember, setSetting } from './commands/fields';
import {
  connect,
  disconnect,
  moveLine,
  retarget,
  setCondition,
  setDefault,
  setLineLabel,
} from './commands/lines';
import { moveNodes } from './commands/move-nodes';
import { paste } from './commands/paste';
import { applyFix, replaceDocument } from './commands/replace';
import { waitFor } from './commands/wait-for';
import { unwrapLoop, wrapInLoop } from './commands/wrap-in-loop';
import {
  findLine,
  findNode,
  type Flow,
  type LineKey,
  linesTo,
  type NodeId,
  nodesOf,
  type Point,
  startsOf,
} from './flow';
import type { Json, JsonObject } from './json';
import type { PatchOperation } from './patch';

/** Where a new step goes. */
export type Place =
  | { readonly kind: 'line'; readonly key: LineKey }
  | { readonly kind: 'after'; readonly node: NodeId }
  | { readonly kind: 'port'; readonly node: NodeId; readonly port: string }
  | { readonly kind: 'inside'; readonly loop: NodeId }
  | { readonly kind: 'loose'; readonly at: Point | null };

export type Command =
  | {
      readonly kind: 'addNode';
      readonly type: string;
      readonly label: string;
      readonly config: JsonObject;
      readonly place: Place;
    }
  | { readonly kind: 'deleteNodes'; readonly ids: readonly NodeId[] }
  | {
      readonly kind: 'moveNodes';
      readonly moves: readonly (Point & { readonly id: NodeId })[];
      readonly tidy?: boolean;
    }
  | { readonly kind: 'connect'; readonly from: NodeId; readonly port: string; readonly to: NodeId }
  | { readonly kind: 'disconnect'; readonly key: LineKey }
  | {
      readonly kind: 'retarget';
      readonly from: NodeId;
      readonly port: string;
      readonly to: NodeId | null;
      /** One of several lines of the port. */
      readonly key?: LineKey;
    }
  | { readonly kind: 'setCondition'; readonly key: LineKey; readonly condition: Json | undefined }
  | { readonly kind: 'setDefault'; readonly key: LineKey }
  | { readonly kind: 'setLineLabel'; readonly key: LineKey; readonly label: string }
  | { readonly kind: 'moveLine'; readonly key: LineKey; readonly by: -1 | 1 }
  | {
      readonly kind: 'setField';
      readonly id: NodeId;
      readonly path: readonly string[];
      readonly value: Json | undefined;
    }
  | {
      readonly kind: 'setMember';
      readonly id: NodeId;
      readonly name: string;
      readonly value: Json | undefined;
    }
  | { readonly kind: 'setLabel'; readonly id: NodeId; readonly label: string }
  | { readonly kind: 'setDecisions'; readonly id: NodeId; readonly decisions: readonly string[] }
  | { readonly kind: 'setSetting'; readonly path: readonly string[]; readonly value: Json | undefined }
  | { readonly kind: 'wrapInLoop'; readonly ids: readonly NodeId[]; readonly label: string }
  | { readonly kind: 'unwrapLoop'; readonly id: NodeId }
  | { readonly kind: 'waitFor'; readonly id: NodeId; readonly type: string; readonly label: string }
  | { readonly kind: 'paste'; readonly nodes: readonly JsonObject[]; readonly edges: readonly JsonObject[] }
  | { readonly kind: 'applyFix'; readonly label: string; readonly patch: readonly PatchOperation[] }
  | { readonly kind: 'replaceDocument'; readonly flow: Flow; readonly says: string };

export type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>;

export interface Handler<Kind extends Command['kind']> {
  /** The change in words, for the undo menu and the announcer. */
  readonly says: (flow: Flow, command: CommandOf<Kind>) => string;
  /** Why it cannot be done, in words; null: it can. */
  readonly refuses: (flow: Flow, command: CommandOf<Kind>) => string | null;
  /** `highest`: numbers of new ids are above it. */
  readonly apply: (flow: Flow, command: CommandOf<Kind>, highest: number) => Flow;
}

export type Selection =
  | { readonly kind: 'none' }
  | { readonly kind: 'nodes'; readonly ids: readonly NodeId[] }
  | { readonly kind: 'line'; readonly key: LineKey };

const HANDLERS: { readonly [Kind in Command['kind']]: Handler<Kind> } = {
  addNode,
  deleteNodes,
  moveNodes,
  connect,
  disconnect,
  retarget,
  setCondition,
  setDefault,
  setLineLabel,
  moveLine,
  setField,
  setMember,
  setLabel,
  setDecisions,
  setSetting,
  wrapInLoop,
  unwrapLoop,
  waitFor,
  paste,
  applyFix,
  replaceDocument,
};

export const COMMAND_KINDS = Object.keys(HANDLERS) as readonly Command['kind'][];

/* The table is typed by kind; TypeScript cannot follow one kind through three calls, so this is the one place that says so. */
function handlerOf(command: Command): Handler<never> {
  return HANDLERS[command.kind] as unknown as Handler<never>;
}

export const refusal = (flow: Flow, command: Command): string | null =>
  handlerOf(command).refuses(flow, command as never);
export const sayCommand = (flow: Flow, command: Command): string =>
  handlerOf(command).says(flow, command as never);
export const applyCommand = (flow: Flow, command: Command, highest: number): Flow =>
  handlerOf(command).apply(flow, command as never, highest);

/* A step that is known by its name is another one under another name. */
const SELECTS_NEW: ReadonlySet<Command['kind']> = new Set(['addNode', 'wrapInLoop', 'setLabel']);

/** The selection afterwards: new steps; the step before one that has gone; else what was, as far as it is there. */
export function selectAfter(before: Flow, after: Flow, command: Command, selection: Selection): Selection {
  const added = nodesOf(after).filter((node) => findNode(before, node.id) === undefined);
  const first = added[0];
  if (first !== undefined && SELECTS_NEW.has(command.kind)) return { kind: 'nodes', ids: [first.id] };
  if (added.length > 0 && command.kind === 'paste')
    return { kind: 'nodes', ids: added.map((node) => node.id) };
  if (command.kind === 'deleteNodes') {
    const gone = new Set(command.ids);
    const previous = command.ids
      .flatMap((id) => linesTo(before, id))
      .map((line) => line.from)
      .find((id) => !gone.has(id) && findNode(after, id) !== undefined);
    // Nothing leads to a start: the flow's other start, or none.
    const next = previous ?? startsOf(after)[0]?.id;
    return next === undefined ? { kind: 'none' } : { kind: 'nodes', ids: [next] };
  }
  switch (selection.kind) {
    case 'none':
      return selection;
    case 'line':
      return findLine(after, selection.key) === undefined ? { kind: 'none' } : selection;
    case 'nodes': {
      const ids = selection.ids.filter((id) => findNode(after, id) !== undefined);
      return ids.length === selection.ids.length
        ? selection
        : ids.length === 0
          ? { kind: 'none' }
          : { kind: 'nodes', ids };
    }
  }
}
