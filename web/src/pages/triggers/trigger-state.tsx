/* pages/triggers/trigger-state.tsx — whether a trigger takes what comes. */
import type { Trigger } from '../../api/triggers';
import { StatusMark } from '../../ui/status-mark';

export function TriggerState({ trigger }: { readonly trigger: Trigger }) {
  if (trigger.state === 'paused') return <StatusMark status="cancelled" word="Paused" isSmall />;
  if (trigger.broker !== undefined && !trigger.broker.connected)
    return (
      <span title={trigger.broker.error ?? ''}>
        <StatusMark status="failed" word="Not connected" isSmall />
      </span>
    );
  return <StatusMark status="completed" word="Open" isSmall />;
}
