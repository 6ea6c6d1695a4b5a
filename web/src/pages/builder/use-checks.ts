/* pages/builder/use-checks.ts — what the engine thinks of the document, a moment after the last change. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';

import { checkDocument, type CheckProblem } from '../../api/drafts';
import { type Flow, printFlow } from '../../flow/flow';
import { isSteps } from '../../flow/format';
import { placeProblem } from '../../flow/steps/problems';

const AFTER_MS = 350;
const NONE: readonly CheckProblem[] = [];

export function useChecks(flow: Flow): readonly CheckProblem[] {
  const [calm, setCalm] = useState(flow);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(flow), AFTER_MS);
    return () => clearTimeout(timer);
  }, [flow]);
  // The text itself is the key: an undo finds the answer that is known already.
  const text = printFlow(calm);
  const checks = useQuery({
    queryKey: ['checks', undefined, text],
    queryFn: ({ signal }) => checkDocument(text, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  const found = checks.data ?? NONE;
  return useMemo(
    () => (isSteps(calm) ? found.map((problem) => placeProblem(calm, problem)) : found),
    [calm, found],
  );
}
