/* pages/triggers/trigger-state.tsx — whether a trigger takes what comes. */
import type { Trigger } from '../../api/triggers';
import { StatusMark } from '../../ui/status-mark';
import { t } from '../../texts/triggers';

export function TriggerState({ trigger }: { readonly trigger: Trigger }) {
  if (trigger.state === 'paused') return <StatusMark status="cancelled" word={t.paused} isSmall />;
  if (trigger.broker !== undefined && !trigger.broker.connected)
    return (
      <span title={trigger.broker.error ?? ''}>
        <StatusMark status="failed" word={t.notConnected} isSmall />
      </span>
    );
  return <StatusMark status="completed" word={t.open} isSmall />;
}
