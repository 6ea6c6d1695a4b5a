/* pages/builder/context.ts — what every part of the builder reads. */
import { createContext, useContext } from 'react';

import type { CheckProblem } from '../../api/drafts';
import type { Command, Selection } from '../../flow/command';
import type { NodeTypes } from '../../flow/data';
import type { Flow } from '../../flow/flow';
import type { Json } from '../../flow/json';
import type { NodeTable } from '../../flow/table';
import type { Store } from './store';

export interface Builder {
  readonly store: Store;
  readonly flow: Flow;
  readonly selection: Selection;
  readonly types: NodeTypes;
  /** Other things that the engine has fields for: settings, retries. */
  readonly table: NodeTable;
  readonly problems: readonly CheckProblem[];
  /** Problems by step. */
  readonly problemsOf: ReadonlyMap<string, readonly CheckProblem[]>;
  /** The values that steps gave in the last test, by step. */
  readonly samples: ReadonlyMap<string, Json>;
  /** The order in which the last test came to the steps. */
  readonly order: ReadonlyMap<string, number>;
  readonly taken: ReadonlySet<string>;
  /** The text, where that is what is edited; null: the canvas is. */
  readonly text: string | null;
  readonly dispatch: (command: Command, mergeKey?: string) => boolean;
  readonly select: (selection: Selection) => void;
  /** Opens the list of steps that can be added. */
  readonly openAdd: (request: AddRequest) => void;
  /** Puts the focus into the panel, at the first field. */
  readonly openPanel: () => void;
  /** Opens the search for a step. */
  readonly openFind: () => void;
}

export interface AddRequest {
  readonly place: import('../../flow/command').Place;
  /** Where the list opens, in pixels of the window; null: in the middle. */
  readonly at: { readonly x: number; readonly y: number } | null;
  /** The element that gets the focus when the list closes without a choice. */
  readonly opener: HTMLElement | null;
}

export const BuilderContext = createContext<Builder | null>(null);

export function useBuilder(): Builder {
  const builder = useContext(BuilderContext);
  if (builder === null) throw new Error('useBuilder() outside of the builder');
  return builder;
}
