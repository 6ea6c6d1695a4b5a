/* ui/teeth.tsx — the ratchet: one tooth per visit, grey behind, coloured where the run stands. */
import { lookOf } from './words';

const TEETH_MAX = 10;

interface TeethProps {
  readonly visits: number;
  /** States of the steps where the run stands, last first ones are the last teeth. */
  readonly states: readonly string[];
}

/** Decoration: the number of visits and the status stand beside it in words. */
export function Teeth({ visits, states }: TeethProps) {
  const standing = states.slice(0, TEETH_MAX);
  const behind = Math.max(0, Math.min(TEETH_MAX, visits) - standing.length);
  return (
    <span className="teeth" aria-hidden="true">
      {Array.from({ length: behind }, (_, tooth) => (
        <i key={tooth} />
      ))}
      {standing.map((state, tooth) => (
        <i key={behind + tooth} className={lookOf(state).look} />
      ))}
    </span>
  );
}
