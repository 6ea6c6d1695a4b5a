/* texts/de/run.ts — German: the texts of the page of a run. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { run as English } from '../en/run';

export const run = {
  // cancel-dialog.tsx
  cancelled: 'Abgebrochen.',
  cancel: (more) => `${more} abbrechen?`,
  letIt: 'Nicht abbrechen',
  cancelTheRun: 'Lauf abbrechen',
  whatItHasDoneStays: (more) =>
    `${more} Was er getan hat, bleibt getan. Das kann nicht zurückgenommen werden.`,
  itStopsWhereItStands: 'Er hält an, wo er steht, und alles, worauf er wartet, wird aufgegeben.',
  itStops: 'Er hält an.',
  whyItIsKept: 'Warum? Das wird beim Lauf aufbewahrt.',

  // node-about.tsx
  notReached: 'nicht erreicht',
  theRunEndedWithout: 'Der Lauf endete ohne diesen Schritt.',
  theRunStoppedBefore: 'Der Lauf hielt an, bevor er zu diesem Schritt kam.',
  theRunHasNotCome: 'Der Lauf ist noch nicht bei diesem Schritt.',
  whatLeads: 'Was dorthin führt',
  after: 'Nach',
  if: (sayLineLabel) => rich`, wenn ${sayLineLabel}`,
  whichWentAnotherWay: ', das einen anderen Weg ging',
  whichWasNotReachedEither: ', das auch nicht erreicht wurde',

  // repair-dialog.tsx
  repaired: 'Repariert.',
  repair: (more) => `${more} reparieren`,
  doIt: 'Ausführen',
  showWhatWouldHappen: 'Zeigen, was geschähe',
  theRunStands: 'Der Lauf steht bei',
  goOn: 'Weiter bei',
  stayThere: 'Dort bleiben',
  again: (title) => `Noch einmal: ${title}`,
  aLaterStepSkipsWhat:
    'Ein späterer Schritt überspringt, was dazwischen liegt; derselbe Schritt wird noch einmal getan.',
  changeDataAsJsonMay: 'Daten ändern, als JSON (kann leer sein)',
  whatWouldHappen: 'Was geschähe',
  thenTheRunWouldStand: 'Dann stünde der Lauf bei',
  noStepItWould: 'keinem Schritt: Er wäre beendet',

  // run-actions.tsx
  retried: 'Wiederholt.',
  retry: (title) => `${title} wiederholen`,
  couldNotBeSaved: (message) => `Konnte nicht gespeichert werden: ${message}`,
  saveTheRun: 'Lauf als Test speichern',
  openTheTask: 'Aufgabe öffnen',
  sendASignal: 'Signal senden …',
  theRunAsATest: 'der Lauf als Test',
  copyAsATest: 'Als Test kopieren',
  repair2: 'Reparieren …',
  cancel2: 'Abbrechen …',

  // run-data.tsx
  nothing: 'Nichts',

  // run-head.tsx
  seeTheTrace: 'Trace ansehen',
  since: 'Seit',
  took: 'Dauer',
  by: (what, by, time) => rich`${what} von ${by} ${time}`,
  acts: {
    started: 'gestartet',
    claimed: 'übernommen',
    unclaimed: 'zurückgelegt',
    assigned: 'übergeben',
    changed: 'geändert',
    commented: 'kommentiert',
    completed: 'beantwortet',
    signalled: 'mit Signal versehen',
    cancelled: 'abgebrochen',
    retried: 'wiederholt',
    modified: 'repariert',
    migrated: 'migriert',
    arrived: 'eingetroffen',
    fired: 'ausgelöst',
  },
  test: 'Test',
  newestIsV: (newestVersion) => `neueste ist v${newestVersion}`,
  started: (strong) => rich`Gestartet ${strong}`,
  id: (id) => rich`ID ${id}`,
  theId: 'die ID',

  // run-page.tsx
  timeline: 'Zeitachse',
  dataNow: 'Daten jetzt',
  relatedRuns: 'Verwandte Läufe',
  path: 'Weg',
  nVisits: (number) => count(number, { one: '# Durchgang', other: '# Durchgänge' }),
  taken: 'gegangen',
  notTaken: 'nicht gegangen',
  thePicture: 'Das Bild',
  pictureOfTheRunVersion: (definitionVersion) => `Bild des Laufs, Version ${definitionVersion}`,
  nothingHasBeenVisitedYet: 'Noch wurde nichts durchlaufen',
  partsOfTheRun: 'Teile des Laufs',
  scale: 'Maßstab',
  byTheClock: 'Nach der Uhr',
  withoutWaiting: 'Ohne Warten',
  theVisits: 'Die Durchgänge',
  earlierVisits: 'Frühere Durchgänge',
  theDataAreTooLarge: 'Die Daten sind zu groß, um hier gezeigt zu werden.',
  theRunHasNoData: 'Der Lauf hat keine Daten.',
  nextRunOfTheList: 'Nächster Lauf der Liste',
  runBeforeInTheList: 'Voriger Lauf der Liste',
  aRun: 'Ein Lauf',
  of: (at, count) => `${at} von ${count}`,
  runBeforeK: 'Voriger Lauf (K)',
  nextRunJ: 'Nächster Lauf (J)',
  runs: 'Läufe',
  thisRun: 'Dieser Lauf',

  // run-related.tsx
  wasStarted: 'Wurde gestartet von',
  continues: 'Setzt fort',
  isContinued: 'Wird fortgesetzt von',
  started2: 'Startete',
  thisRunStandsAlone: 'Dieser Lauf steht allein',
  noOtherRunStarted: 'Kein anderer Lauf hat ihn gestartet, und er hat keinen gestartet.',
  andMore: (more) => `und ${more} weitere`,

  // run-values.ts
  key: 'Kennung',
  id2: 'ID',
  flow: 'Ablauf',
  isATest: 'Ist ein Test',
  time: 'Zeit',
  whatCameLast: 'Was zuletzt kam',
  variables: 'Variablen',
  all: 'alles',

  // run-why.tsx
  retryAll: (count) => `Alle ${count} wiederholen …`,
  whyItEnded: 'Warum er endete',
  whyItWaits: 'Warum er wartet',
  failed: 'Fehlgeschlagen ',
  since2: 'Seit ',
  goesOnByItself: (time) => rich`, geht von selbst weiter: ${time}`,
  andMoreSteps: (more) => `und ${more} weitere Schritte`,

  // signal-dialog.tsx
  sent: 'Gesendet.',
  sendASignal2: 'Signal senden',
  back: 'Zurück',
  send: 'Senden',
  stepThatWaits: 'Schritt, der wartet',
  dataThatComes: 'Daten, die mitkommen, als JSON (kann leer sein)',
  thisIsNoJsonObject: 'Das ist noch kein JSON-Objekt.',
  itIsMergedInto: 'Es wird in die Daten des Laufs übernommen.',

  // timeline.tsx
  soFar: (took) => `${took}, bis jetzt`,
  try: (number) => `Versuch ${number}`,
  wentWell: 'ging gut',
  isNotOver: 'läuft noch',
  failedWithoutAReason: 'fehlgeschlagen; kein Grund genannt',
  wasCancelled: 'wurde abgebrochen',
  in: (time) => ` · ${time}`,
  visit: 'Durchgang',
  at: 'Um',
  now: 'jetzt',
  worked: 'Gearbeitet',

  // visit-data.tsx
  visit2: (place) => `Durchgang ${place}`,
  nTries: (number) => count(number, { one: '# Versuch', other: '# Versuche' }),
  by2: (by) => `von ${by}`,
  theDataOfThisVisit: 'Die Daten dieses Durchgangs',
  theDataOfThisVisit2: 'die Daten dieses Durchgangs',
  showData: 'Daten zeigen als',
  values: 'Werte',
  json: 'JSON',
  wentIn: 'Ging hinein',
  cameOut: 'Kam heraus',
  whatChangedInTheRun: 'Was sich im Lauf änderte',
  somethingWasTooLong: 'Etwas war zu lang, um gezeigt zu werden.',
} satisfies Like<typeof English>;
