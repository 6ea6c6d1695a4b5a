/* pages/flows/problem-list.tsx — what is wrong with a text, in words, with lines that lead to their place. */
import type { CheckedProblem, Checks } from '../../api/checks';
import { EngineHint, EngineWords } from '../../ui/engine-words';
import { Icon } from '../../ui/icon';
import { sayProblem } from '../../texts/engine';
import { t } from '../../texts/flows';
import styles from './flows.module.css';

const SHOWN_MAX = 50;

interface ProblemListProps {
  readonly checks: Checks;
  /** Absent: lines are told, and lead nowhere. */
  readonly onShow?: (problem: CheckedProblem) => void;
}

export function ProblemList({ checks, onShow }: ProblemListProps) {
  const problems = [...checks.errors, ...checks.warnings];
  if (problems.length === 0) return null;
  return (
    <>
      <ul className={styles['problems']} aria-label={t.problems}>
        {problems.slice(0, SHOWN_MAX).map((problem, index) => (
          <li key={index}>
            <span className={problem.severity === 'error' ? 'st s failed' : 'st s person'}>
              <Icon name={problem.severity === 'error' ? 'failed' : 'warn'} small />
              {problem.line === 0 ? (
                t.wholeText
              ) : onShow === undefined ? (
                t.line2(problem.line)
              ) : (
                <button type="button" className="link" onClick={() => onShow(problem)}>
                  {t.line2(problem.line)}
                </button>
              )}
              <span className="sr">{problem.severity === 'error' ? t.severityError : t.severityWarning}</span>
            </span>
            <span>
              <EngineWords sentence={sayProblem(problem.code)} own={problem.message} />
              {problem.hint !== '' && (
                <small>
                  <EngineHint own={problem.hint} />
                </small>
              )}
            </span>
          </li>
        ))}
      </ul>
      {problems.length > SHOWN_MAX && (
        <p className="dim s">{t.and(t.nMoreProblems(problems.length - SHOWN_MAX))}</p>
      )}
    </>
  );
}
