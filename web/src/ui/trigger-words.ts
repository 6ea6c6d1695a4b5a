/* ui/trigger-words.ts — kinds of triggers in words. */
import type { Trigger } from '../api/triggers';

const KINDS: { readonly [K in Trigger['type']]: string } = {
  manual: 'By hand',
  http: 'Web request',
  mqtt: 'MQTT message',
  cron: 'Schedule',
  poll: 'New data',
};

export function kindWord(type: Trigger['type']): string {
  return KINDS[type];
}
