/* texts/de/audit.ts — German: the texts of the audit page. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { audit as English } from '../en/audit';

export const audit = {
  // audit-page.tsx
  when: 'Wann',
  who: 'Wer',
  for: (text) => rich`für ${text}`,
  did: 'Tat',
  to: 'An',
  outcome: 'Ergebnis',
  refused: 'Abgelehnt',
  done: 'Erledigt',
  times: (count) => `${count}-mal`,
  details: 'Details',
  by: 'Über',
  from: 'Von',
  audit: 'Protokoll',
  theListStandsStill: 'Die Liste steht still.',
  newRowsAppearByThemselves: 'Neue Zeilen erscheinen von selbst.',
  follow: 'Folgen',
  theAudit: 'Das Protokoll',
  noRowFits: 'Keine Zeile passt',
  whatPeopleAndPrograms: 'Was Personen und Programme ändern, steht hier, und was abgelehnt wurde.',
  newest: 'Neueste',
  older: 'Ältere',
  theChainIsBroken: (broken) => `Die Kette ist gebrochen: ${broken}`,
  theChainIsWholeNone: (checked) => `Die Kette ist ganz: ${checked}, keine geändert und keine fehlt.`,
  nRows: (number) => count(number, { one: '# Zeile', other: '# Zeilen' }),
  verify: 'Prüfen',

  // filter-form.tsx
  filterTheAudit: 'Protokoll filtern',
  any: 'beliebig',
  done2: 'erledigt',
  refused2: 'abgelehnt',
  since: 'Seit',
  until: 'Bis',
  filter: 'Filtern',
  clear: 'Leeren',

  // words.ts
  thisApplication: 'diese Anwendung',
  commandLine: 'Kommandozeile',
  aSchedule: 'ein Zeitplan',
} satisfies Like<typeof English>;
