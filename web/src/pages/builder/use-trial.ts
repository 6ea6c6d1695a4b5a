/* pages/builder/use-trial.ts — the last test run of the builder: its steps as they come, and what canvas and panel show of it. */
import { useCallback, useRef, useState } from 'react';

import { asProblem } from '../../api/problem';
import { runTrial, type TrialEvent, type TrialRequest } from '../../api/trials';
import { isSame, type Json } from '../../flow/json';
import { announce } from '../../ui/announce';
import { lookOf } from '../../ui/words';
import { sayFailure, sayPhrase, sayTitle, sayWait } from '../../texts/engine';
import { t } from '../../texts/trial';
import { takenPair, takenWay, wayOf } from './taken-lines';

export interface TrialStep {
  readonly n: number;
  readonly node: string;
  readonly title: string;
  readonly at: string;
  readonly until: string | null;
  readonly how: string;
  readonly in: Json | undefined;
  readonly out: Json | undefined;
  /** The data that a call, a worker or a person would have been given, with all values filled in. */
  readonly sent: Json | undefined;
  readonly why: string;
  /** The engine's own words for it, where `why` is in another language. */
  readonly own: string;
  /** Why the engine took no answer of the test; empty: it did. */
  readonly refused: string;
}

export interface TrialResult {
  readonly state: 'none' | 'running' | 'done' | 'failed';
  readonly steps: readonly TrialStep[];
  readonly status: string;
  readonly reason: string;
  readonly own: string;
  readonly tookMs: number;
  readonly scenario: Json | undefined;
  readonly samples: ReadonlyMap<string, Json>;
  readonly order: ReadonlyMap<string, number>;
  /** Ways that were taken, as `from\nto`, and again with how it went (taken-lines.ts). */
  readonly taken: ReadonlySet<string>;
}

export const NO_TEST: TrialResult = {
  state: 'none',
  steps: [],
  status: '',
  reason: '',
  own: '',
  tookMs: 0,
  scenario: undefined,
  samples: new Map(),
  order: new Map(),
  taken: new Set(),
};

/* Why a step or the test failed, was late or was stopped. */
function sayReason({ reason = '', reasonCode }: TrialEvent): Pick<TrialStep, 'why' | 'own'> {
  const failure = sayFailure(reasonCode);
  return { why: failure || sayPhrase('waits', reason) || reason, own: failure === '' ? '' : reason };
}

/* The visit that a line is about: its number, or the last one of its step. */
function changeStep(
  result: TrialResult,
  { n, node }: TrialEvent,
  change: (step: TrialStep) => Partial<TrialStep>,
): TrialResult {
  const about =
    result.steps.find((step) => n !== undefined && step.n === n) ??
    result.steps.findLast((step) => step.node === node);
  return {
    ...result,
    steps: result.steps.map((step) => (step === about ? { ...step, ...change(step) } : step)),
  };
}

/** The state of the test after a line of the engine. */
export function takeEvent(result: TrialResult, event: TrialEvent): TrialResult {
  const { node = '', at = '' } = event;
  switch (event.event) {
    case 'start':
      return result;
    case 'enter': {
      const n = event.n ?? result.steps.length + 1;
      const step: TrialStep = {
        n,
        node,
        title: sayTitle(event.title ?? node),
        at,
        until: null,
        how: '',
        in: event.in,
        out: undefined,
        sent: undefined,
        why: '',
        own: '',
        refused: '',
      };
      const order = result.order.has(node)
        ? result.order
        : new Map([...result.order, [node, result.order.size + 1]]);
      return { ...result, order, steps: [...result.steps, step] };
    }
    case 'leave': {
      const steps = result.steps.map((step) =>
        step.n === event.n
          ? {
              ...step,
              until: at,
              how: event.how ?? '',
              out: event.out,
              sent: event.sent ?? step.sent,
              ...sayReason(event),
            }
          : step,
      );
      const samples =
        event.out === undefined ? result.samples : new Map([...result.samples, [node, event.out]]);
      const way = wayOf(event.how ?? '', event.out);
      const taken = new Set([
        ...result.taken,
        ...(event.to ?? []).flatMap((to) => [takenPair(node, to), takenWay(node, to, way)]),
      ]);
      return { ...result, steps, samples, taken };
    }
    case 'wait':
      return changeStep(result, event, ({ sent }) => ({
        how: t.waits,
        why: sayWait(event.says) || (event.why ?? ''),
        sent: event.sent ?? sent,
      }));
    case 'refused':
      return changeStep(result, event, () => ({ refused: event.why ?? '' }));
    case 'clock':
      return result;
    case 'end': {
      const { why: reason, own } = sayReason(event);
      return {
        ...result,
        state: 'done',
        status: event.status ?? '',
        reason,
        own,
        tookMs: event.tookMs ?? 0,
        scenario: event.scenario,
      };
    }
  }
}

export interface Trial {
  readonly result: TrialResult;
  readonly run: (request: TrialRequest) => Promise<void>;
  /** Whether the result is that of another request: of another document, other answers or another input. */
  readonly isOld: (request: TrialRequest) => boolean;
}

/* Places of steps and names of people on the canvas do not change what a test does, but few look at them during one. */
function isSameRequest(a: TrialRequest, b: TrialRequest): boolean {
  const { document: one, ...rest } = a;
  const { document: other, ...others } = b;
  return (one === other || isSame(one, other)) && JSON.stringify(rest) === JSON.stringify(others);
}

export function useTrial(): Trial {
  const [result, setResult] = useState<TrialResult>(NO_TEST);
  const [ran, setRan] = useState<TrialRequest | null>(null);
  const abort = useRef<AbortController | null>(null);
  const run = useCallback(async (request: TrialRequest) => {
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    let now: TrialResult = {
      ...NO_TEST,
      state: 'running',
      samples: new Map([['trigger', { payload: request.input }]]),
    };
    setResult(now);
    setRan(request);
    try {
      await runTrial(
        request,
        (event) => {
          now = takeEvent(now, event);
          if (abort.current === mine) setResult(now);
        },
        mine.signal,
      );
      announce(t.theTestEnded(now.status === 'stopped' ? t.stopped : lookOf(now.status).word));
    } catch (thrown) {
      if (abort.current !== mine || mine.signal.aborted) return;
      setResult({ ...now, state: 'failed', reason: asProblem(thrown).message });
    }
  }, []);
  const isOld = (request: TrialRequest) =>
    ran !== null && result.state === 'done' && !isSameRequest(ran, request);
  return { result, run, isOld };
}
