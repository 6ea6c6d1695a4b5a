import { expect, test } from 'vitest';

import { sayLineLabel } from './line-words';

test.each([
  ['#requiresSeniorApproval == true', 'Requires senior approval is yes'],
  ["#seniorDecision == 'APPROVED'", 'Senior decision is APPROVED'],
  ['amount > 1000 && status == "open"', 'Amount over 1,000 and Status is open'],
  ['approve', 'approve'],
  ['a day or less', 'a day or less'],
  ['after 8 hours, and waits on', 'after 8 hours, and waits on'],
  ['error: #code == 3', 'error: #code == 3'],
  ['count(#items) > 3', 'count(#items) > 3'],
  ["#tier == 'HIGH'\nlater", 'Tier is HIGH\nlater'],
  ["#seniorDecision == 'APP…", "#seniorDecision == 'APP…"],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['', ''],
])('%s', (label, words) => {
  expect(sayLineLabel(label)).toBe(words);
});
