/* texts/shape.ts — the areas that texts are grouped by, and the type of each table. English is the type: a language that lacks a text does
 * not compile. */
import type { access } from './en/access';
import type { account } from './en/account';
import type { app } from './en/app';
import type { audit } from './en/audit';
import type { builder } from './en/builder';
import type { connections } from './en/connections';
import type { docs } from './en/docs';
import type { entities } from './en/entities';
import type { flow } from './en/flow';
import type { flows } from './en/flows';
import type { form } from './en/form';
import type { gallery } from './en/gallery';
import type { home } from './en/home';
import type { inbox } from './en/inbox';
import type { login } from './en/login';
import type { panel } from './en/panel';
import type { run } from './en/run';
import type { runs } from './en/runs';
import type { serverless } from './en/serverless';
import type { steps } from './en/steps';
import type { tables } from './en/tables';
import type { trial } from './en/trial';
import type { triggers } from './en/triggers';
import type { ui } from './en/ui';
import type { workers } from './en/workers';

/** A table of another language: the same texts, and functions that take the same. */
export type Like<T> = {
  readonly [K in keyof T]: T[K] extends (...values: infer Values) => infer Said
    ? (...values: Values) => Said
    : T[K] extends string
      ? string
      : Like<T[K]>;
};

export interface Tables {
  readonly access: Like<typeof access>;
  readonly account: Like<typeof account>;
  readonly app: Like<typeof app>;
  readonly audit: Like<typeof audit>;
  readonly builder: Like<typeof builder>;
  readonly connections: Like<typeof connections>;
  readonly docs: Like<typeof docs>;
  readonly entities: Like<typeof entities>;
  readonly flow: Like<typeof flow>;
  readonly flows: Like<typeof flows>;
  readonly form: Like<typeof form>;
  readonly gallery: Like<typeof gallery>;
  readonly home: Like<typeof home>;
  readonly inbox: Like<typeof inbox>;
  readonly login: Like<typeof login>;
  readonly panel: Like<typeof panel>;
  readonly run: Like<typeof run>;
  readonly runs: Like<typeof runs>;
  readonly serverless: Like<typeof serverless>;
  readonly steps: Like<typeof steps>;
  readonly tables: Like<typeof tables>;
  readonly trial: Like<typeof trial>;
  readonly triggers: Like<typeof triggers>;
  readonly ui: Like<typeof ui>;
  readonly workers: Like<typeof workers>;
}

export type Area = keyof Tables;

type Codes = Readonly<Record<string, string>>;

/** Where sentences of the engine that have no code stand: buttons that repair, hints of problems, reasons of access, the health of the engine, waits of tasks,
 * locks, runs and tests, pictures of flows. */
export type PhraseGroup = 'fixes' | 'hints' | 'reasons' | 'health' | 'waits' | 'picture';

/** The sentence in another language: made of the values in it, some of which `say` has words for. Empty: it is about something else. */
export type Phrase = string | ((say: (own: string) => string, ...values: readonly string[]) => string);

/** By the English sentence, as the source of the engine has it; `%s` is a value. */
export type Phrases = Readonly<Record<string, Phrase>>;

/** The meanings of the engine's codes. English has no such table: the engine's own sentences are English, and say more. */
export interface EngineTexts {
  /** Refusals by the word of their status (docs/errors.md). */
  readonly refusals: Codes;
  /** Refusals that have a code, finer than the status. */
  readonly codes: Codes;
  /** Problems of a document (docs/errors.md). */
  readonly problems: Codes;
  /** Why something failed (src/program/reason.h). */
  readonly failures: Codes;
  /** … if a web service answered with this status. */
  readonly answer: (status: number) => string;
  /** Why a step does not go on, after its name (src/dialect/show/saying.h). */
  readonly sayings: Readonly<Record<string, (saying: Saying) => string>>;
  /** The whole sentence: what the step does, and what was before. */
  readonly sentence: (saying: Saying, does: string, failure: string) => string;
  /** Names of types of steps, which are the titles of steps that nobody has named. */
  readonly titles: Codes;
  /** Sentences that have no code. */
  readonly phrases: { readonly [Group in PhraseGroup]: Phrases };
}

/** A sentence of the engine as a code with values, as the API gives it. */
export interface Saying {
  readonly code: string;
  readonly title?: string;
  readonly stopped?: true;
  readonly failed?: number;
  readonly names?: readonly string[];
  readonly others?: number;
  readonly key?: string;
  readonly done?: number;
  readonly total?: number;
  readonly late?: true;
  readonly reason?: string;
  readonly reasonCode?: string;
}
