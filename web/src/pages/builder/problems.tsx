/* pages/builder/problems.tsx — what the engine finds wrong, with its repair. */
import type { CheckProblem } from '../../api/drafts';
import { isRestPort } from '../../flow/answers';
import { findNode, linesFrom } from '../../flow/flow';
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

/* A hint that speaks of the text of a flow has other words where nobody sees the text. */
function Hint({ own }: { readonly own: string }) {
  const { text } = useBuilder();
  const hints: Readonly<Record<string, string>> = t.hints;
  return text === null && Object.hasOwn(hints, own) ? hints[own] : <EngineHint own={own} />;
}

interface Choice {
  readonly label: string;
  readonly choose: () => void;
}

/* Once the panel shows what has just been chosen. */
function focusFirst(selector: string): void {
  requestAnimationFrame(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement | HTMLSelectElement>(selector)];
    (fields.find(({ value }) => value === '') ?? fields[0])?.focus();
  });
}

/* Where somebody chooses what only the author can know; null: the problem asks for nothing of the kind. */
function useChoice({ code, nodeId }: CheckProblem): Choice | null {
  const { flow, text, types, select, dispatch } = useBuilder();
  if (text !== null || nodeId === undefined) return null;
  const lines = linesFrom(flow, nodeId);
  if (code === 'GATEWAY_DEFAULT_REQUIRED') {
    const line = lines.find(({ condition }) => condition === undefined) ?? lines.at(-1);
    if (line === undefined) return null;
    const choose = () => {
      select({ kind: 'line', key: line.key });
      focusFirst('[data-field="otherwise"] input');
    };
    return { label: t.chooseTheWay, choose };
  }
  if (code !== 'DECISION_NOT_WIRED') return null;
  const rest = lines.find(({ port }) => isRestPort(findNode(flow, nodeId), port));
  if (rest !== undefined) {
    const target = findNode(flow, rest.to);
    const name = target?.label || (types.get(target?.type ?? '')?.label ?? rest.to);
    const choose = () => void dispatch({ kind: 'setDefault', key: rest.key });
    return { label: t.anyOtherAnswerLeadsTo(name), choose };
  }
  const choose = () => {
    select({ kind: 'nodes', ids: [nodeId] });
    focusFirst('[data-field="then"] select');
  };
  return { label: t.chooseWhereItLeads, choose };
}

interface ProblemNoteProps {
  readonly problem: CheckProblem;
  /** The list or the dialog round the note hides the field that the note leads to. */
  readonly onLeave?: () => void;
}

export function ProblemNote({ problem, onLeave }: ProblemNoteProps) {
  const { dispatch } = useBuilder();
  const { fix } = problem;
  const choice = useChoice(problem);
  return (
    <div className={styles['note']} data-severity={problem.severity} role="group" aria-label={t.problem}>
      <p>
        <Icon name="warn" />
        <span dir="auto">
          <EngineWords sentence={sayProblem(problem.code)} own={problem.message} />
          {problem.hint !== '' && (
            <span className="dim">
              {' '}
              <Hint own={problem.hint} />
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
      {choice !== null && (
        <button
          type="button"
          className="btn small"
          onClick={() => {
            onLeave?.();
            choice.choose();
          }}
        >
          {choice.label}
        </button>
      )}
    </div>
  );
}

/** All of them, under the button that counts them. */
export function ProblemList({
  onPick,
  onLeave,
}: {
  readonly onPick: (problem: CheckProblem) => void;
  readonly onLeave: () => void;
}) {
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
            <ProblemNote problem={problem} onLeave={onLeave} />
          </li>
        );
      })}
    </ul>
  );
}
