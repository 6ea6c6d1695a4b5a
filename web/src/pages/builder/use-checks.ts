/* pages/builder/use-checks.ts — what the engine thinks of the document, a moment after the last change. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';

import { checkDocument, type CheckProblem } from '../../api/drafts';
import { type Flow, printFlow } from '../../flow/flow';
import { isSteps } from '../../flow/format';
import { nodeAt } from '../../flow/problem-place';
import { placeProblem } from '../../flow/steps/problems';

const AFTER_MS = 350;

function placed(flow: Flow, problem: CheckProblem): CheckProblem {
  const nodeId = problem.nodeId ?? nodeAt(flow, problem.pointer);
  return nodeId === problem.nodeId || nodeId === undefined ? problem : { ...problem, nodeId };
}

const NONE: readonly CheckProblem[] = [];

/** `text`: what stands in an editor, where that is what counts. */
export function useChecks(flow: Flow, text: string | null): readonly CheckProblem[] {
  const [calm, setCalm] = useState({ flow, text });
  useEffect(() => {
    const timer = setTimeout(() => setCalm({ flow, text }), AFTER_MS);
    return () => clearTimeout(timer);
  }, [flow, text]);
  // The text itself is the key: an undo finds the answer that is known already.
  const asked = useMemo(() => calm.text ?? printFlow(calm.flow), [calm]);
  const checks = useQuery({
    queryKey: ['checks', undefined, asked],
    queryFn: ({ signal }) => checkDocument(asked, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  const found = checks.data ?? NONE;
  return useMemo(
    () =>
      found.map((problem) =>
        isSteps(calm.flow) ? placeProblem(calm.flow, problem) : placed(calm.flow, problem),
      ),
    [calm.flow, found],
  );
}
