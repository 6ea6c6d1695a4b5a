/* texts/en/audit.ts — English: the texts of the audit page. */
import { count, type Node, rich } from '../say';

export const audit = {
  // audit-page.tsx
  when: 'When',
  who: 'Who',
  for: (text: Node) => rich`for ${text}`,
  did: 'Did',
  to: 'To',
  outcome: 'Outcome',
  refused: 'Refused',
  done: 'Done',
  times: (count: string) => `${count} times`,
  details: 'Details',
  by: 'By',
  from: 'From',
  audit: 'Audit',
  theListStandsStill: 'The list stands still.',
  newRowsAppearByThemselves: 'New rows appear by themselves.',
  follow: 'Follow',
  theAudit: 'The audit',
  noRowFits: 'No row fits',
  whatPeopleAndPrograms: 'What people and programs change is written here, and what was refused.',
  newest: 'Newest',
  older: 'Older',
  theChainIsBroken: (broken: string) => `The chain is broken: ${broken}`,
  theChainIsWholeNone: (checked: string) => `The chain is whole: ${checked}, none changed and none missing.`,
  nRows: (number: number) => count(number, { one: '# row', other: '# rows' }),
  verify: 'Verify',

  // filter-form.tsx
  filterTheAudit: 'Filter the audit',
  any: 'any',
  done2: 'done',
  refused2: 'refused',
  since: 'Since',
  until: 'Until',
  filter: 'Filter',
  clear: 'Clear',

  // words.ts
  thisApplication: 'this application',
  commandLine: 'command line',
  aSchedule: 'a schedule',
};
