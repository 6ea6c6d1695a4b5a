/* pages/builder/until-control.tsx — when a For each stops before all items are done. */
import type { FlowNode } from '../../flow/flow';
import type { Json } from '../../flow/json';
import { answersInside, LOOP_ITEMS, printUntil, readUntil, type Until } from '../../flow/until';
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
        aria-label="Stop when"
        value={until.kind}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="never">all are done</option>
        {(answers.length > 0 || until.kind === 'said') && (
          <option value="said">{count} of them said the same</option>
        )}
        <option value="succeeded">{count} of them went well</option>
        <option value="failed">{count} of them failed</option>
        <option value="other">something else</option>
      </select>
      {'count' in until && (
        <input
          className="in"
          type="number"
          min={1}
          max={10000}
          aria-label="How many of them"
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
          aria-label="What they said"
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
