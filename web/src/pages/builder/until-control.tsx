/* pages/builder/until-control.tsx — when a For each stops before all items are done. */
import type { FlowNode } from '../../flow/flow';
import type { Json } from '../../flow/json';
import { answersInside, LOOP_ITEMS, printUntil, readUntil, type Until } from '../../flow/until';
import { t } from '../../texts/panel';
import { ConditionRows } from './condition-rows';
import { useBuilder } from './context';
import styles from './panel.module.css';

interface UntilControlProps {
  readonly node: FlowNode;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined, isTyping?: boolean) => void;
}

const OTHER = { left: '{{ loop.succeeded }}', op: 'gt', right: 0 };

export function UntilControl({ node, value, onChange }: UntilControlProps) {
  const { flow } = useBuilder();
  const until = readUntil(value);
  const answers = answersInside(flow, node);
  const count = 'count' in until ? until.count : 2;
  const put = (next: Until, isTyping = false) =>
    onChange(next.kind === 'other' ? OTHER : printUntil(next, node), isTyping);
  const choose = (kind: string) => {
    if (kind === 'said') put({ kind, count, answer: answers[0] ?? '' });
    else if (kind === 'succeeded' || kind === 'failed') put({ kind, count });
    else put(kind === 'other' ? { kind } : { kind: 'never' });
  };
  return (
    <div className={styles['rows']}>
      <select
        className="in"
        aria-label={t.stopWhen}
        value={until.kind}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="never">{t.allAreDone}</option>
        {(answers.length > 0 || until.kind === 'said') && (
          <option value="said">{t.ofThemSaidTheSame(count)}</option>
        )}
        <option value="succeeded">{t.ofThemWentWell(count)}</option>
        <option value="failed">{t.ofThemFailed(count)}</option>
        <option value="other">{t.somethingElse2}</option>
      </select>
      {'count' in until && (
        <input
          className="in"
          type="number"
          min={1}
          max={10000}
          aria-label={t.howManyOfThem}
          value={until.count}
          onChange={(event) => {
            const number = Math.trunc(Number(event.target.value));
            if (number >= 1) put({ ...until, count: number }, true);
          }}
        />
      )}
      {until.kind === 'said' && (
        <select
          className="in"
          aria-label={t.whatTheySaid}
          value={until.answer}
          onChange={(event) => put({ ...until, answer: event.target.value })}
        >
          {[...new Set([...answers, until.answer])].map((answer) => (
            <option key={answer} value={answer}>
              {answer}
            </option>
          ))}
        </select>
      )}
      {until.kind === 'other' && (
        <ConditionRows nodeId={node.id} condition={value} onChange={onChange} items={LOOP_ITEMS} />
      )}
    </div>
  );
}
