/* pages/builder/problems.tsx — what the engine finds wrong, with its repair. */
import type { CheckProblem } from '../../api/drafts';
import { findNode } from '../../flow/flow';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/builder';
import { sayPhrase, sayProblem } from '../../texts/engine';
import { t as fields } from '../../texts/steps';
import { EngineHint, EngineWords } from '../../ui/engine-words';
import { useBuilder } from './context';
import styles from './panel.module.css';

/** The repair says what it does in the language of the page, with the builder's words for fields. */
export const sayFix = ({ label }: { readonly label: string }): string =>
  sayPhrase('fixes', label, fields) || label;

export function ProblemNote({ problem }: { readonly problem: CheckProblem }) {
  const { dispatch } = useBuilder();
  const { fix } = problem;
  return (
    <div className={styles['note']} data-severity={problem.severity} role="group" aria-label={t.problem}>
      <p>
        <Icon name="warn" />
        <span dir="auto">
          <EngineWords sentence={sayProblem(problem.code)} own={problem.message} />
          {problem.hint !== '' && (
            <span className="dim">
              {' '}
              <EngineHint own={problem.hint} />
            </span>
          )}
        </span>
      </p>
      {fix !== undefined && (
        <button
          type="button"
          className="btn small"
          onClick={() => dispatch({ kind: 'applyFix', label: sayFix(fix), patch: fix.patch })}
        >
          {sayFix(fix)}
        </button>
      )}
    </div>
  );
}

/** All of them, under the button that counts them. */
export function ProblemList({ onPick }: { readonly onPick: (problem: CheckProblem) => void }) {
  const { problems, flow } = useBuilder();
  return (
    <ul className={styles['problems']}>
      {problems.map((problem) => {
        const node = problem.nodeId === undefined ? undefined : findNode(flow, problem.nodeId);
        return (
          <li key={`${problem.code}${problem.pointer}`}>
            <button type="button" onClick={() => onPick(problem)}>
              {node !== undefined && <b className="m cut">{node.label || node.type}</b>}
              <span className={problem.severity === 'error' ? 'st failed' : 'st person'}>
                <Icon name="warn" small />
                {problem.severity === 'error' ? t.mustBeMended : t.lookAt}
              </span>
            </button>
            <ProblemNote problem={problem} />
          </li>
        );
      })}
    </ul>
  );
}
