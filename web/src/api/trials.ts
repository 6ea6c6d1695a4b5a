/* api/trials.ts — test runs: nothing durable, no side effect, the clock is virtual. The engine sends a line per step. */
import type { Json, JsonObject } from '../flow/json';
import { authorizedFetch, type Schemas } from './client';
import { problemOf } from './problem';

export interface TrialAnswer {
  readonly node: string;
  readonly after?: string;
  readonly decision?: string;
  readonly variables?: JsonObject;
  /** Only inside of this item of the loop. */
  readonly item?: number;
  /** Given again each further time. */
  readonly repeat?: boolean;
}

/** The transitions that are asked of an entity, in this order. */
export interface TrialTransition {
  readonly transition: string;
}

export interface TrialRequest {
  readonly document?: Json;
  /** Instead of a document: its text, in JSON or YAML. */
  readonly text?: string;
  readonly input: Json;
  readonly trigger?: string;
  readonly answers: readonly (TrialAnswer | TrialTransition)[];
  readonly pins: JsonObject;
  /** People without an answer wait, and the run ends there. */
  readonly unanswered?: 'wait';
}

export interface TrialEvent {
  readonly event: 'start' | 'enter' | 'leave' | 'wait' | 'clock' | 'refused' | 'end';
  readonly at?: string;
  readonly n?: number;
  readonly node?: string;
  readonly title?: string;
  readonly in?: Json;
  readonly sent?: Json;
  readonly out?: Json;
  readonly how?: string;
  readonly to?: readonly string[];
  readonly why?: string;
  /** The wait as a code with values. */
  readonly says?: Schemas['Saying'];
  readonly for?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  readonly tookMs?: number;
  readonly result?: Json;
  readonly scenario?: Json;
}

/** Runs a test and calls `onEvent` for each line; ends with the run. */
export async function runTrial(
  request: TrialRequest,
  onEvent: (event: TrialEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await authorizedFetch('/api/trials', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok || response.body === null) {
    const text = await response.text();
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {
      // It is no JSON: the text says it.
    }
    throw problemOf(response.status, body);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onEvent(JSON.parse(line) as TrialEvent);
  }
  if (rest.trim() !== '') onEvent(JSON.parse(rest) as TrialEvent);
}
