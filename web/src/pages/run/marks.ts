/* pages/run/marks.ts — what a run says about the picture of its definition. */
import type { Run } from '../../api/instances';
import { type NodeMark, type PictureMarks, takenKey } from '../../ui/picture';
import { TOLD_FIRST } from '../../ui/words';
import { sayPhrase } from '../../texts/engine';

export function marksOf(run: Run): PictureMarks {
  const nodes = new Map<string, NodeMark>(
    Object.entries(run.nodes).map(([id, { state, visits, badge }]) => [
      id,
      { state, visits, ...(badge === undefined ? {} : { badge: sayPhrase('waits', badge) || badge }) },
    ]),
  );
  const taken = new Set(run.edges.map(({ from, to }) => takenKey(from, to)));
  return { nodes, taken };
}

/** The step that a reader should see first: the one that lists of runs tell of. */
export function standingNode(run: Run): string | null {
  const first = TOLD_FIRST.map((state) => run.why.find((each) => each.state === state)?.nodeId).find(
    (id) => id !== undefined,
  );
  return first ?? null;
}
