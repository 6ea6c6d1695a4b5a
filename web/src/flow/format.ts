/* flow/format.ts — the formats that the canvas edits. To everybody else a flow is a document with nodes and lines; a format
 * reads them from a document and writes changes of them into it.
 *
 *     graph   `nodes` and `edges`; a condition is an object, a place is a member of its node
 *     steps   `steps` that name what follows them; a condition is an expression, places are in `metadata`
 *     serverless   `states` with transitions; there are no places. Its code comes with the first such document (addStatesFormat)
 */
import type { Flow, FlowLine, FlowNode, LineKey, NodeId, Point } from './flow';
import { graphFormat } from './graph/format';
import type { NodeTypes } from './data';
import { isList, isObject, type Json, type JsonObject } from './json';
import { stepsFormat } from './steps/format';

export interface NewNode {
  readonly id: NodeId;
  readonly type: string;
  readonly label: string;
  readonly config: JsonObject;
  readonly parent: NodeId | null;
  readonly position: Point | null;
}

export interface NewLine {
  readonly from: NodeId;
  readonly port: string;
  readonly to: NodeId;
  readonly isDefault?: boolean;
}

/** The parts of a line that a change may set; a member that is there and undefined is taken away. */
export interface LineChange {
  readonly to?: NodeId;
  readonly condition?: Json | undefined;
  readonly isDefault?: boolean;
  readonly label?: string;
  readonly port?: string;
}

/** Steps as text on the clipboard. */
export interface Part {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
}

/** The steps that can be added, in groups. */
export type Palette = readonly {
  readonly title: string;
  readonly entries: readonly { readonly type: string; readonly help: string }[];
}[];

export interface Format {
  readonly name: 'graph' | 'steps' | 'serverless';
  /** False: a document has no room for where steps stand; the canvas always lays them out. */
  readonly isPlaced: boolean;
  /** Why the canvas cannot edit a document of this format; null: it can. */
  readonly whyNot: (flow: Flow) => string | null;
  /** The document under an id of its own. */
  readonly withId: (flow: Flow, id: string) => Flow;
  readonly nodes: (flow: Flow) => readonly FlowNode[];
  readonly lines: (flow: Flow) => readonly FlowLine[];

  readonly putMember: (flow: Flow, node: FlowNode, name: string, value: Json | undefined) => Flow;
  readonly putField: (flow: Flow, node: FlowNode, path: readonly string[], value: Json | undefined) => Flow;
  readonly addNodes: (flow: Flow, added: readonly NewNode[]) => Flow;
  readonly removeNodes: (flow: Flow, ids: ReadonlySet<NodeId>) => Flow;
  readonly addLine: (flow: Flow, line: NewLine) => Flow;
  readonly removeLines: (flow: Flow, lines: readonly FlowLine[]) => Flow;
  readonly putLine: (flow: Flow, line: FlowLine, change: LineChange) => Flow;
  /** Lines of one step are asked in this order. */
  readonly orderLines: (flow: Flow, keys: readonly LineKey[]) => Flow;
  /** Adds copies of steps under the new names that their old ones have. */
  readonly paste: (flow: Flow, part: Part, names: ReadonlyMap<NodeId, NodeId>) => Flow;
  readonly copy: (flow: Flow, ids: ReadonlySet<NodeId>) => JsonObject;
  /** Where steps are known by their names: the id of a new one. */
  readonly newId?: (label: string, parent: NodeId | null) => NodeId;
  /** Where the engine's table does not have them. */
  readonly types?: () => NodeTypes;
  readonly palette?: Palette;
}

let statesFormat: Format | null = null;

/** Null: such documents are of another family again. */
export function addStatesFormat(format: Format | null): void {
  statesFormat = format;
}

/** Whether a document is a Serverless Workflow. */
export const hasStates = (value: Json): boolean =>
  isObject(value) && isList(value['states']) && value['nodes'] === undefined && value['steps'] === undefined;

export function formatOf(flow: Flow): Format {
  if (flow['nodes'] !== undefined || flow['dialect'] !== undefined) return graphFormat;
  if (isList(flow['steps'])) return stepsFormat;
  return statesFormat !== null && hasStates(flow) ? statesFormat : graphFormat;
}

export const isGraph = (flow: Flow): boolean => formatOf(flow) === graphFormat;
export const isSteps = (flow: Flow): boolean => formatOf(flow) === stepsFormat;
export const isStates = (flow: Flow): boolean => formatOf(flow).name === 'serverless';
