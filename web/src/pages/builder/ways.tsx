/* pages/builder/ways.tsx — where lines lead: the ways of a decision in the order in which they are asked, and the list of steps that
 * a way can lead to, with new ones at its end. */
import { useBuilder } from './context';
import styles from './panel.module.css';
import { whyNoLine } from '../../flow/commands/lines';
import { findLine, type FlowNode, linesFrom, nodesOf, roleOf } from '../../flow/flow';
import { sayLine } from '../../flow/say';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';

interface TargetSelectProps {
  readonly from: string;
  readonly port: string;
  readonly label: string;
  /** The line whose end it is; absent: the only one of the port. */
  readonly lineKey?: string;
  /** An answer of a person leads somewhere, and if only to an end; no line is a problem. */
  readonly isAnswer?: boolean;
}

const TO_NEW_END = '\u0000end';

export function TargetSelect({ from, port, label, lineKey, isAnswer = false }: TargetSelectProps) {
  const { flow, types, dispatch, openAdd, select } = useBuilder();
  const line =
    lineKey === undefined
      ? linesFrom(flow, from).find((each) => each.port === port)
      : findLine(flow, lineKey);
  const targets = nodesOf(flow).filter(
    (node) => whyNoLine(flow, from, port, node.id) === null || node.id === line?.to,
  );
  const isEntry = line?.slot?.kind === 'entry';
  const nameOf = (node: FlowNode) => node.label || (types.get(node.type)?.label ?? node.id);
  const change = (value: string) => {
    if (value === TO_NEW_END) {
      if (line !== undefined) dispatch({ kind: 'disconnect', key: line.key });
      const place = { kind: 'port', node: from, port } as const;
      dispatch({ kind: 'addNode', type: 'end', label: t.end, config: {}, place });
      select({ kind: 'nodes', ids: [from] });
    } else if (value === '') {
      if (line !== undefined) dispatch({ kind: 'disconnect', key: line.key });
    } else if (line === undefined) dispatch({ kind: 'connect', from, port, to: value });
    else dispatch({ kind: 'retarget', from, port, to: value, key: line.key });
  };
  return (
    <div className={styles['target']}>
      <select
        className="in"
        aria-label={label}
        value={line?.to ?? ''}
        onChange={(event) => change(event.target.value)}
      >
        {isAnswer && line === undefined && <option value="">{t.chooseWhatHappens}</option>}
        {isAnswer && <option value={TO_NEW_END}>{t.itEndsAtAnEnd}</option>}
        {!isEntry && !isAnswer && <option value="">{t.itEnds}</option>}
        {targets.map((node) => (
          <option key={node.id} value={node.id}>
            {nameOf(node)}
          </option>
        ))}
      </select>
      <button
        type="button"
        className="btn icon"
        aria-label={t.aNewStep(label)}
        title={t.aNewStep2}
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          const place =
            lineKey === undefined
              ? ({ kind: 'port', node: from, port } as const)
              : ({ kind: 'line', key: lineKey } as const);
          openAdd({ place, at: { x: left, y: bottom + 4 }, opener: event.currentTarget });
        }}
      >
        <Icon name="plus" small />
      </button>
    </div>
  );
}

export function Ways({ node }: { readonly node: FlowNode }) {
  const { flow, types, select, dispatch, openAdd, openPanel } = useBuilder();
  const lines = linesFrom(flow, node.id).filter((line) => line.port === 'out');
  const isChoice = roleOf(node.type) !== 'split';
  const stepName = (id: string) => {
    const step = nodesOf(flow).find((each) => each.id === id);
    return step === undefined ? id : step.label || (types.get(step.type)?.label ?? id);
  };
  return (
    <div className="field" data-field="ways">
      <span className="label">{isChoice ? t.waysAskedFromTop : t.waysAllAtTheSame}</span>
      <ul className={styles['ways']}>
        {lines.map((line, i) => (
          <li key={line.key}>
            <button
              type="button"
              className={styles['way']}
              onClick={() => {
                select({ kind: 'line', key: line.key });
                openPanel();
              }}
            >
              <span className="m cut">
                {isChoice ? sayLine(flow, line, types) || t.noConditionYet : stepName(line.to)}
              </span>
              {isChoice && (
                <span className="dim s cut">
                  <Icon name="go" small />
                  {stepName(line.to)}
                </span>
              )}
            </button>
            {isChoice && i > 0 && (
              <button
                type="button"
                className="btn quiet icon small"
                aria-label={t.askEarlier2(sayLine(flow, line, types))}
                title={t.askEarlier}
                onClick={() => dispatch({ kind: 'moveLine', key: line.key, by: -1 })}
              >
                ↑
              </button>
            )}
            <button
              type="button"
              className="btn quiet icon small"
              aria-label={t.removeTheWay(stepName(line.to))}
              onClick={() => dispatch({ kind: 'disconnect', key: line.key })}
            >
              <Icon name="close" small />
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="btn small"
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          openAdd({
            place: { kind: 'port', node: node.id, port: 'out' },
            at: { x: left, y: bottom + 4 },
            opener: event.currentTarget,
          });
        }}
      >
        <Icon name="plus" small />
        {t.addAWay}
      </button>
    </div>
  );
}
