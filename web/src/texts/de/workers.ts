/* texts/de/workers.ts — German: the texts of the page of workers. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { workers as English } from '../en/workers';

export const workers = {
  // job-health.ts
  nobodyTakesThem: 'Niemand übernimmt sie',
  behindBy: (time) => `Rückstand: ${time}`,
  atWork: 'In Arbeit',
  ready: 'Bereit',
  noWorker: 'Kein Worker',
  nothingWasDone: 'Nichts wurde erledigt.',
  doneNoneFailed: (done) => `${done} erledigt, keiner fehlgeschlagen.`,
  nearlyEveryTry: 'fast jeder Versuch',
  oneTry: (math) => `einer von ${math} Versuchen`,
  doneFailed: (done, failed, more) => `${done} erledigt, ${failed} fehlgeschlagen: ${more}.`,
  everyTry: 'jeder Versuch',

  // job-panel.tsx
  theJob: 'Der Auftrag',
  closeTheJob: 'Auftrag schließen',
  inTheLastHour: 'In der letzten Stunde',
  now: 'Jetzt',
  noJobIsOpen: 'Kein Auftrag ist offen.',
  openOfThemInWork: (open, leased) => `${open} offen, davon in Arbeit: ${leased}.`,
  nJobs: (number) => count(number, { one: '# Auftrag', other: '# Aufträge' }),
  theOldestThatIsReady: (time) => rich`Der älteste bereite kam ${time}.`,
  whoTakes: 'Wer sie übernimmt',
  nobodyHasAsked: 'In der letzten Stunde hat niemand danach gefragt.',
  asked: (time) => rich`gefragt ${time}`,
  hasNoJob: 'hat keinen Auftrag',
  has: (leased) => `hat ${leased}`,
  seemsToBeGone: ', scheint weg zu sein',

  // workers-page.tsx
  nPollsWait: (number) => count(number, { one: '# Abfrage wartet', other: '# Abfragen warten' }),
  nobody: 'niemand',
  andMore: (names, more) => `${names} und ${more} weitere`,
  webServices: 'Webdienste',
  eMails: 'E-Mails',
  databases: 'Datenbanken',
  eventsToOthers: 'Ereignisse an andere',
  calculationMembers: 'Berechnungsknoten',
  theEngineItself: 'Die Engine selbst',
  done: 'Erledigt',
  failed: 'Fehlgeschlagen',
  fails: 'Schlägt fehl',
  job: 'Auftrag',
  howItGoes: 'Wie es läuft',
  open: 'Offen',
  inWork: 'In Arbeit',
  oldest: 'Ältester',
  doneThisHour: 'Diese Stunde erledigt',
  workers: 'Worker',
  theWorkers: 'Die Worker',
  noWorkerHasAsked: 'Noch hat kein Worker nach Arbeit gefragt',
  aFlowWithWork:
    'Ein Ablauf mit Arbeit für Ihre Programme öffnet Aufträge; jede Art erscheint hier mit dem, der sie übernimmt.',
  kindsOfJobs: 'Arten von Aufträgen',
  thereAreMoreKinds: 'Es gibt mehr Arten von Aufträgen, als hier gezeigt werden.',
  whatTheEngineDoesItself: 'Was die Engine selbst tut',
} satisfies Like<typeof English>;
