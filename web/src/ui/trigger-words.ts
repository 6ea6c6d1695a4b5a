/* ui/trigger-words.ts — kinds of triggers in words. */
import type { Trigger } from '../api/triggers';
import { t } from '../texts/ui';

const KINDS: { readonly [K in Trigger['type']]: string } = {
  manual: t.byHand,
  http: t.webRequest,
  mqtt: t.mqttMessage,
  cron: t.schedule,
  poll: t.newData,
};

export function kindWord(type: Trigger['type']): string {
  return KINDS[type];
}
