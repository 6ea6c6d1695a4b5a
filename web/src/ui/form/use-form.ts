/* ui/form/use-form.ts — the state of one form: what its controls hold, what has been left or sent, what the engine refused. */
import { useId, useMemo, useState } from 'react';

import { type Draft, emptyDraft, type FieldProblem, placeRefusal, printValue, readForm } from './fields';
import type { Json } from './json';
import { type Field, readSchema } from './schema';

export interface Form {
  readonly field: Field;
  readonly draft: Draft;
  /** Whether somebody has changed anything, now or when the kept draft was made. */
  readonly isTouched: boolean;
  /** The mistakes, by JSON Pointer; a field that nobody has left yet is not blamed. */
  readonly problems: ReadonlyMap<string, string>;
  /** The id of the element around the controls: the first problem gets the focus there. */
  readonly id: string;
  readonly change: (draft: Draft) => void;
  readonly leave: (pointer: string) => void;
  /** The entry as a value, or null if something is wrong; then all problems show and the first gets the focus. */
  readonly send: () => { readonly value: Json } | null;
  /** Shows the engine's refusal at its field. */
  readonly refuse: (message: string) => void;
}

interface State {
  readonly draft: Draft;
  readonly isTouched: boolean;
  readonly left: ReadonlySet<string>;
  readonly isSent: boolean;
  readonly refusal: FieldProblem | null;
}

function focusAt(id: string, pointer: string): void {
  const root = document.getElementById(id);
  const places = [...(root?.querySelectorAll<HTMLElement>('[data-pointer]') ?? [])];
  const place =
    places.find((one) => one.dataset['pointer'] === pointer) ??
    places.find((one) => one.dataset['pointer']?.startsWith(`${pointer}/`));
  const control = place?.matches('input, select, textarea')
    ? place
    : place?.querySelector<HTMLElement>('input, select, textarea, button');
  control?.focus();
}

/** One form per schema: give the component that calls this a `key` to begin anew. `kept` is the draft of a form that was left. */
export function useForm(schema: unknown, initial?: Json, kept?: Draft): Form {
  const field = useMemo(() => readSchema(schema), [schema]);
  const [state, setState] = useState<State>(() => ({
    draft: kept ?? (initial === undefined ? emptyDraft(field) : printValue(field, initial)),
    isTouched: kept !== undefined,
    left: new Set(),
    isSent: false,
    refusal: null,
  }));
  const id = useId();
  const reading = useMemo(() => readForm(field, state.draft), [field, state.draft]);
  const problems = useMemo(() => {
    const shown = reading.problems.filter((problem) => state.isSent || state.left.has(problem.pointer));
    const all = state.refusal === null ? shown : [...shown, state.refusal];
    return new Map(all.map((problem) => [problem.pointer, problem.message]));
  }, [reading, state]);
  return {
    field,
    draft: state.draft,
    isTouched: state.isTouched,
    problems,
    id,
    change: (draft) => setState((now) => ({ ...now, draft, isTouched: true, refusal: null })),
    leave: (pointer) =>
      setState((now) => (now.left.has(pointer) ? now : { ...now, left: new Set([...now.left, pointer]) })),
    send: () => {
      setState((now) => ({ ...now, isSent: true, refusal: null }));
      const first = reading.problems[0];
      if (first === undefined) return { value: reading.value ?? {} };
      focusAt(id, first.pointer);
      return null;
    },
    refuse: (message) => {
      const refusal = placeRefusal(field, state.draft, message);
      setState((now) => ({ ...now, refusal }));
      focusAt(id, refusal.pointer);
    },
  };
}
