/* pages/builder/line-panel.tsx — the chosen line: where it leads, what it is called, and, where no popover shows it, when it is taken. */
import { isChosen } from '../../flow/commands/lines';
import { findLine, findNode, roleOf } from '../../flow/flow';
import { isGraph } from '../../flow/format';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { Field } from './field';
import { LineCondition } from './line-condition';
import styles from './panel.module.css';
import { TimerFields } from './step-controls';
import { TargetSelect } from './ways';

export function LinePanel({
  lineKey,
  hasPopover,
}: {
  readonly lineKey: string;
  readonly hasPopover: boolean;
}) {
  const { flow, types, dispatch, select } = useBuilder();
  const line = findLine(flow, lineKey);
  const source = line === undefined ? undefined : findNode(flow, line.from);
  if (line === undefined || source === undefined) return null;
  const nameOf = (id: string) =>
    findNode(flow, id)?.label || (types.get(findNode(flow, id)?.type ?? '')?.label ?? id);
  const hasCondition = isChosen(flow, line) && !hasPopover;
  const isEntry = line.slot?.kind === 'entry';
  return (
    <>
      <header className={styles['head']}>
        <span className="square large" data-colour="choose">
          <Icon name="go" />
        </span>
        <div>
          <h2 className="cut">{hasCondition ? t.goThisWayWhen : t.line}</h2>
          <span className="dim s cut">{t.to(nameOf(line.from), nameOf(line.to))}</span>
        </div>
        <button
          type="button"
          className="btn quiet icon small"
          aria-label={t.close}
          onClick={() => select({ kind: 'nodes', ids: [line.from] })}
        >
          <Icon name="close" small />
        </button>
      </header>
      <div className={styles['body']}>
        {hasCondition && <LineCondition line={line} />}
        {line.slot?.kind === 'timer' && <TimerFields node={source} at={line.slot.at} />}
        {roleOf(source.type) === 'split' && <p className="help">{t.splitWaitTakesEveryLine}</p>}
        {line.slot?.kind !== 'timer' && (
          <Field label={t.leadsTo}>
            <TargetSelect from={line.from} port={line.port} lineKey={line.key} label={t.leadsTo} />
          </Field>
        )}
        {isGraph(flow) && (
          <Field label={t.nameOfTheLine}>
            <input
              className="in"
              aria-label={t.nameOfTheLine}
              value={line.label}
              placeholder={t.none}
              maxLength={200}
              onChange={(event) =>
                dispatch(
                  { kind: 'setLineLabel', key: line.key, label: event.target.value },
                  `line:${line.key}`,
                )
              }
            />
          </Field>
        )}
        {!isEntry && (
          <div className="row">
            <button
              type="button"
              className="btn small danger"
              onClick={() => dispatch({ kind: 'disconnect', key: line.key })}
            >
              {t.removeTheLine}
            </button>
          </div>
        )}
      </div>
    </>
  );
}
