/* pages/builder/line-condition.tsx — when a line of a decision is taken: rows, or "otherwise". On the canvas it hangs on the line, in the
 * other views it stands in the panel. */
import { findNode, type FlowLine, linesFrom } from '../../flow/flow';
import { t } from '../../texts/panel';
import { ConditionRows } from './condition-rows';
import { useBuilder } from './context';
import styles from './panel.module.css';

/** Whether the line is taken when no other one fits. */
export function Otherwise({ line }: { readonly line: FlowLine }) {
  const { dispatch } = useBuilder();
  return (
    <label className={styles['check']} data-field="otherwise">
      <input
        type="checkbox"
        className="cb"
        checked={line.isDefault}
        onChange={(event) =>
          dispatch(
            event.target.checked
              ? { kind: 'setDefault', key: line.key }
              : { kind: 'setCondition', key: line.key, condition: undefined },
          )
        }
      />
      {t.onlyWhenNoOtherWay}
    </label>
  );
}

export function LineCondition({
  line,
  isBrief = false,
}: {
  readonly line: FlowLine;
  /** Somebody else shows "otherwise". */
  readonly isBrief?: boolean;
}) {
  const { flow, types, dispatch } = useBuilder();
  const other = linesFrom(flow, line.from).find((each) => each.isDefault && each.key !== line.key);
  const target = findNode(flow, other?.to ?? '');
  return (
    <>
      {!line.isDefault && (
        <ConditionRows
          nodeId={line.from}
          condition={line.condition}
          onChange={(condition, isTyping) =>
            dispatch(
              { kind: 'setCondition', key: line.key, condition },
              isTyping === true ? `condition:${line.key}` : undefined,
            )
          }
        />
      )}
      {!isBrief && <Otherwise line={line} />}
      {!line.isDefault && target !== undefined && (
        <p className="help cut" dir="auto">
          {t.otherwiseItTakesTheOther(
            <b className="m">{target.label || (types.get(target.type)?.label ?? target.id)}</b>,
          )}
        </p>
      )}
    </>
  );
}
