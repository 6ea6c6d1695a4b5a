/* texts/de/flows.ts — German: the texts of the pages of flows. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { flows as English } from '../en/flows';

export const flows = {
  // compare-page.tsx
  to: 'nach',
  from: 'von',
  allOf: 'alles',
  new: 'Neu',
  gone: 'Entfallen',
  changed: 'Geändert',
  theStepsAreTheSame: 'Die Schritte sind gleich',
  whatDiffersIfAnything: 'Was sich unterscheidet, steht höchstens im Text: Namen, Beschreibungen, Stellen.',
  andMore: (more) => ` und ${more} weitere`,
  lineFrom: (title, title2) => rich`Linie von ${title} nach ${title2}`,
  version: (version) => `Version ${version}`,
  published: (time) => rich`veröffentlicht ${time}`,
  thePicture: 'Das Bild',
  pictureOfVersion: (version) => `Bild der Version ${version}`,
  swap: 'Tauschen',
  runsFollowVersion: (version) => `Begonnene Läufe folgen noch Version ${version}.`,
  lookAndBringThemAlong: 'Ansehen, was aus ihnen würde, und sie mitnehmen',
  bringLivingRunsAlong: 'Laufende Läufe mitnehmen …',
  compareAs: 'Vergleichen als',
  picture: 'Bild',
  text: 'Text',
  theComparison: 'Der Vergleich',
  whatChanged: 'Was sich änderte',
  theSameVersion: 'dieselbe Version',
  nChanges: (number) => count(number, { one: '# Änderung', other: '# Änderungen' }),
  theVersionsAreTooLong: 'Die Versionen sind zu lang für einen ganzen Vergleich: Der Text endet früh.',
  versionsOf: (name) => `Versionen von ${name}`,
  flows: 'Abläufe',
  compare: 'Vergleichen',
  thisFlowWasDeleted: (name: string) => `${name} wurde gelöscht, mit allen Versionen.`,
  allFlows: 'Alle Abläufe',
  thisFlow: 'Dieser Ablauf',

  // compare-text.tsx
  new2: 'neu: ',
  gone2: 'entfallen: ',
  nEqualLines: (number) => count(number, { one: '# gleiche Zeile', other: '# gleiche Zeilen' }),
  textOfBothVersions: 'Text beider Versionen',
  version2: (from) => `Version ${from}`,
  version3: (to) => `Version ${to}`,

  // deploy-drop.tsx
  theFileIsLargerThan: 'Die Datei ist größer als 4 MB.',
  ofCanBePublished: (good, count) => `${good} von ${count}: können veröffentlicht werden.`,
  nFiles: (number) => count(number, { one: '# Datei', other: '# Dateien' }),
  published2: (count) => `Veröffentlicht: ${count}.`,
  nFlows: (number) => count(number, { one: '# Ablauf', other: '# Abläufe' }),
  publishAFile: 'Datei veröffentlichen …',
  publishAText: 'Text veröffentlichen …',
  filesToPublish: 'Dateien zum Veröffentlichen',
  whatTheFiles: 'Was die Dateien sind',
  publish: (ready) => `${ready} veröffentlichen`,
  close: 'Schließen',
  published3: 'Veröffentlicht',
  canBePublished: 'Kann veröffentlicht werden',
  cannotBePublished: 'Kann nicht veröffentlicht werden',
  openAsText: 'Als Text öffnen …',

  // draft-list.tsx
  itIsCalledNow: (name) => `Er heißt jetzt ${name}.`,
  rename: (draftName) => `${draftName} umbenennen`,
  back: 'Zurück',
  rename2: 'Umbenennen',
  name2: 'Name',
  itsIdFollowsTheName: 'Seine ID folgt dem Namen, bis er zum ersten Mal veröffentlicht wird.',
  discarded: (draftName) => `${draftName} verworfen.`,
  discardTheDraft: (draftName) => `Entwurf von ${draftName} verwerfen?`,
  keepIt: 'Behalten',
  discardTheDraft2: 'Entwurf verwerfen',
  savedItLastWhat: (more) =>
    `Zuletzt gespeichert: ${more}. Was veröffentlicht wurde, bleibt; was nur in diesem Entwurf steht, ist weg.`,
  somebody: 'jemand',
  copied: (draftName) => `${draftName} kopiert.`,
  saved: (time) => rich`· gespeichert ${time}`,
  by: (author) => rich`von ${author}`,
  rename3: 'Umbenennen …',
  duplicate: 'Duplizieren',
  discard: 'Verwerfen …',
  moreAboutTheDraft: (draftName) => `Mehr zum Entwurf ${draftName}`,
  theDrafts: 'Die Entwürfe',
  drafts: 'Entwürfe',
  notPublishedYet: (count) => `${count}, noch nicht veröffentlicht`,
  nDrafts: (number) => count(number, { one: '# Entwurf', other: '# Entwürfe' }),
  showAll: (count) => `Alle ${count} zeigen`,

  // flow-counts.tsx
  noRunsYet: 'noch keine Läufe',

  // flow-end.tsx
  retireFlow: (name) => `${name} stilllegen?`,
  retireIt: 'Stilllegen',
  flowIsRetired: 'Der Ablauf ist stillgelegt.',
  nothingOfItStarts:
    'Er startet nicht mehr, und seine Zeitpläne enden. Begonnene Läufe gehen weiter. Eine neue Version holt ihn zurück.',
  deleteFlow: (name) => `${name} löschen?`,
  deleteIt: 'Löschen',
  flowIsDeleted: 'Der Ablauf ist gelöscht.',
  flowIsBeingDeleted: 'Der Ablauf wird gelöscht.',
  allItsVersionsGo:
    'Alle Versionen, Auslöser und der Entwurf werden gelöscht. Solange Läufe leben, bleibt der Ablauf. Das lässt sich nicht zurücknehmen.',
  itsEndedRunsToo: 'Auch beendete Läufe mit ihrem Verlauf löschen',
  typeTheIdToGoOn: (id) => `Zum Fortfahren ${id} eingeben`,
  beingDeleted: 'wird gelöscht',
  retire: 'Stilllegen …',
  retired: 'stillgelegt',
  delete: 'Löschen …',

  // flow-page.tsx
  theText: 'Der Text',
  textOfTheFlow: 'Text des Ablaufs',
  theText2: 'der Text',
  pictureOfVersion2: (name, version) => `Bild von ${name}, Version ${version}`,
  versions: 'Versionen',
  nVersions: (number) => count(number, { one: '# Version', other: '# Versionen' }),
  by2: (publishedBy) => rich`von ${publishedBy}`,
  compareVersionWithTheOne: (version) => `Version ${version} mit der vorigen vergleichen`,
  runsOfVersion: (version) => `Läufe der Version ${version}`,
  runs: 'Läufe',
  start: 'Starten …',
  openInTheBuilder: 'Im Editor öffnen',
  allRuns: 'Alle Läufe',
  version4: (version) => `Version ${version}`,
  showTheFlow: 'Ablauf zeigen als',
  ofAllVersions: 'aller Versionen',
  lastFailed: (time) => rich`Zuletzt fehlgeschlagen ${time}:`,
  noReasonWasGiven: 'kein Grund angegeben',

  // flow-tables.tsx
  decisionTables: 'Entscheidungstabellen',

  // flow-triggers.tsx
  triggers: 'Auslöser',
  nTriggers: (number) => count(number, { one: '# Auslöser', other: '# Auslöser' }),
  theTriggers: 'Die Auslöser',
  isOff: (label) => `${label} ist aus`,
  isOn: (label) => `${label} ist an`,
  next: (time) => rich`, nächster ${time}`,
  on: 'An',
  off: 'Aus',

  // flows-page.tsx
  pictureOf: (name) => `Bild von ${name}`,
  published4: (dialect, time) => rich`${dialect} · veröffentlicht ${time}`,
  hasADraft: ' · mit Entwurf',
  lastFailed2: (time, more) => rich`Zuletzt fehlgeschlagen ${time}: ${more}`,
  nWarnings: (number) => count(number, { one: '# Warnung', other: '# Warnungen' }),
  partOfAName: 'Teil eines Namens',
  findFlowsByAPart: 'Abläufe nach einem Teil ihres Namens finden',
  withWarnings: 'Mit Warnungen',
  newFlow: 'Neuer Ablauf',
  theFlows: 'Die Abläufe',
  noFlowYet: 'Noch kein Ablauf',
  noFlowFits: 'Kein Ablauf passt',
  makeOneInTheBuilder: 'Legen Sie einen im Editor an oder ziehen Sie eine Datei hierher.',
  tryAnotherPart: 'Versuchen Sie einen anderen Teil des Namens.',
  moreFlows: 'Weitere Abläufe',

  // migrate-panel.tsx
  whatWillBecomeOfThem: 'Was aus ihnen wird',
  nRuns: (number) => count(number, { one: '# Lauf', other: '# Läufe' }),
  suchAs: 'Etwa',
  and: (more) => `und ${more}`,
  nMoreReasons: (number) => count(number, { one: '# weiterer Grund', other: '# weitere Gründe' }),
  stepsThatAreGone: 'Entfallene Schritte',
  runsThatStandAtOne: 'Läufe, die dort stehen, gehen an dem gewählten Schritt weiter oder bleiben.',
  stayWithTheirVersion: 'Bei ihrer Version bleiben',
  noRunLivesWithVersion: (from) => `Kein Lauf lebt mit Version ${from}.`,
  tryTheStepAgain: 'Den Schritt für fehlgeschlagene Läufe erneut versuchen',
  whyMayBeEmpty: 'Warum (kann leer sein)',
  bringAlong: (moving) => `${moving} mitnehmen`,
  bringLivingRunsAlong2: 'Laufende Läufe mitnehmen',
  runsOfVGo: (from, to) => `Läufe von v${from} gehen mit v${to} weiter`,
  howFar: 'Wie weit es ist',

  // migration.ts
  goOnWhereTheyStand: 'weiter, wo sie stehen',
  goOnAtAnotherStep: 'weiter an einem anderen Schritt',
  stayWithTheirVersion2: 'bleiben bei ihrer Version',

  // problem-lines.ts
  line: (line) => `Zeile ${line}: `,

  // problem-list.tsx
  problems: 'Probleme',
  wholeText: 'Ganzer Text',
  line2: (line) => `Zeile ${line}`,
  nMoreProblems: (number) => count(number, { one: '# weiteres Problem', other: '# weitere Probleme' }),

  // publish-dialog.tsx
  typeOrPasteADocument: 'Geben Sie ein Dokument ein oder fügen Sie es ein, als JSON oder YAML.',
  nProblems: (number) => count(number, { one: '# Problem', other: '# Probleme' }),
  fits: (more, dialect) => `${more} passt: ${dialect}`,
  it: 'Es',
  publishedVersion: (id, version) => `${id} veröffentlicht, Version ${version}.`,
  publishAText2: 'Einen Text veröffentlichen',
  publish2: 'Veröffentlichen',
  textOfTheFlow2: 'Text des Ablaufs, als JSON oder YAML',
  off2: 'aus',

  // restore-button.tsx
  versionHasTheText: (made, version) => `Version ${made} hat den Text der Version ${version}.`,
  makeVersionTheCurrentOne: (version) => `Version ${version} zur aktuellen machen …`,
  makeVersionTheCurrentOne2: (version) => `Version ${version} zur aktuellen machen?`,
  publishItAsVersion: (more) => `Als Version ${more} veröffentlichen`,
  newRunsTakeTheText: (version, latest) =>
    `Neue Läufe nehmen dann den Text der Version ${version}. Begonnene Läufe gehen mit ihrem weiter, und Version ${latest} bleibt in der Liste.`,

  // start-dialog.tsx
  dataItBegins: 'Daten, mit denen er beginnt, als JSON',
  asManyRunsAsMay: 'Es leben schon so viele Läufe wie erlaubt. Dieser beginnt, wenn einer davon endet.',
  started: 'Gestartet.',
  start2: (name) => `${name} starten`,
  start3: 'Starten',
  itBeginsWhen: 'Er beginnt, wenn',
  keyByWhichYouWill: 'Kennung, unter der Sie ihn finden (kann leer sein)',

  // problem-list.tsx: severities
  severityError: 'Fehler',
  severityWarning: 'Warnung',
} satisfies Like<typeof English>;
