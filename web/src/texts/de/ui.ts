/* texts/de/ui.ts — German: the texts of what pages share. */
import { count, listWords, rich } from '../say';
import type { Like } from '../shape';
import type { ui as English } from '../en/ui';

export const ui = {
  // bulk.ts
  theEngineGaveNoPreview: 'Die Engine gab keine Vorschau.',
  theEngineBeganNothing: 'Die Engine hat nichts begonnen.',

  // client.ts
  theEngineGaveNoAnswer: 'Die Engine gab keine Antwort.',

  // drafts.ts
  copyOf: (name) => `Kopie von ${name}`,
  openItItsText: 'Öffnen Sie ihn: Sein Text muss zuerst berichtigt werden.',
  everyNameLikeIsTaken: (stem) => `Alle Namen wie „${stem}“ sind vergeben.`,

  // problem.ts
  problem: 'Problem',
  theEngineDoesNotAnswer: 'Die Engine antwortet nicht.',
  theEngineAnswered: (status) => `Die Engine antwortete mit ${status}.`,

  // triggers.ts
  theEngineDidNotSay: 'Die Engine sagte nicht, was daraus wurde.',

  // bulk-progress.tsx
  pause: 'Anhalten',
  goOn: 'Fortsetzen',
  stop: 'Stoppen',
  bringThemBack: 'Zurückholen',
  bringThemAlongAgain: 'Wieder mitnehmen',
  backToTheVersionBefore: 'Zurück zur Version, von der sie kamen.',
  paused: 'Angehalten.',
  finished: 'Fertig.',
  stopped: 'Gestoppt.',
  progress: 'Fortschritt',
  ofDoneLeftOutRefused: (done, found, succeeded, skipped, refused) =>
    `${done} von ${found}: ${succeeded} erledigt, ${skipped} ausgelassen, ${refused} abgelehnt`,
  nRuns: (number) => count(number, { one: '# Lauf', other: '# Läufe' }),
  wereNotTouchedWhat: (strong, more) =>
    rich`${strong} Nicht angefasst: ${more}. Was getan ist, bleibt getan.`,
  waitUntilItGoes: (strong, more) => rich`${strong} Bis zur Fortsetzung warten: ${more}.`,
  itGoesOnIfYou: 'Es geht weiter, auch wenn Sie diese Seite verlassen oder die Engine neu startet.',
  whatBecameOfEach: 'Was aus jedem wurde',
  andMore: 'und weitere',
  close: 'Schließen',

  // copy-button.tsx
  actions: 'Aktionen',
  copied: (what) => `Kopiert: ${what}.`,
  couldNotCopy: (what) => `Kopieren nicht möglich: ${what}.`,
  copy: (what) => `Kopieren: ${what}`,

  // crumbs.tsx
  whereYou: 'Wo Sie sind',

  // draft-saver.ts
  nothingChangedYet: 'noch nichts geändert',
  saved: (max) => `gespeichert ${max}`,
  saving: 'speichert …',
  notSavedTheEngine: 'nicht gespeichert: Engine nicht erreichbar, Ihre Änderungen bleiben hier',
  notSaved: 'nicht gespeichert',
  notSavedSomebodyElse: 'nicht gespeichert: jemand anderes hat es geändert',
  somebodyElseChanged: 'Jemand anderes hat diesen Ablauf geändert. Wählen Sie, welche Fassung bleibt.',
  theEngineIsAwayYour: 'Die Engine ist nicht erreichbar. Ihre Änderungen bleiben auf dieser Seite.',

  // failed.tsx
  cannotBeShown: (what) => `Kann nicht gezeigt werden: ${what}.`,
  thereIsNoSuchThing: (message) => `Das gibt es hier nicht. ${message}`,
  tryAgain: 'Erneut versuchen',

  // missing-list.tsx
  connections: 'Verbindungen',
  workers: 'Worker',
  notThereYet: 'Noch nicht vorhanden',
  itCanBePublishedBut: 'Veröffentlichen ist möglich, aber Läufe werden dort warten oder fehlschlagen:',

  // missing-words.ts
  nobodyHasSetTheSecret: (name) => `Niemand hat den Geheimwert „${name}“ gesetzt.`,
  theEngineHasNoMail: 'Die Engine hat keinen Mailserver.',
  nobodyHasSetTheConnection: (name) => `Niemand hat die Verbindung „${name}“ gesetzt.`,
  nobodyTakesJobs: (name) => `Niemand übernimmt von diesem Knoten der Engine Aufträge der Art „${name}“.`,
  nobodyTakesJobs2: (name) => `Niemand übernimmt Aufträge der Art „${name}“.`,
  noCalculationNode: (name) => `Kein Berechnungsknoten mit „${name}“ ist verbunden.`,

  // new-password.tsx
  show: 'Zeigen',
  atLeastCharactersSeveral: (max) =>
    `Mindestens ${max} Zeichen. Mehrere Wörter sind leicht zu merken und schwer zu erraten.`,

  // page-help.ts
  home: 'Start',
  whatNeedsSomebodyNowRuns:
    'Was jetzt jemanden braucht: fehlgeschlagene Läufe nach Grund, überfällige Aufgaben, der Zustand der Engine. Jede Zahl führt zu ihrer Liste.',
  flows: 'Abläufe',
  whatCanHappenEveryFlow:
    'Was geschehen kann: jeder Ablauf mit Bild, Versionen und Läufen, und die Entwürfe in Arbeit. Legen Sie eine Datei ab, um sie zu veröffentlichen; vergleichen Sie zwei Versionen und nehmen Sie laufende Läufe mit.',
  theBuilder: 'Der Editor',
  drawWhatShouldHappenTest:
    'Zeichnen Sie, was geschehen soll, testen Sie es ohne jede Wirkung, veröffentlichen Sie es. Arbeitsfläche, Gliederung und Text sind derselbe Ablauf; alles wird von selbst als Entwurf gespeichert.',
  runs: 'Läufe',
  whatIsHappeningFilter:
    'Was gerade geschieht. Filtern Sie nach Status, Ablauf, Kennung, Grund oder Schritt; bearbeiten Sie nach einer Vorschau einen Lauf oder alle, die passen.',
  inbox: 'Posteingang',
  whatWaitsForYou:
    'Was auf Sie und Ihre Gruppen wartet, zuerst das, was zuerst fällig ist. Was Sie getippt haben, bleibt, bis Sie es senden.',
  entities: 'Entitäten',
  modelsAndTheirEntities:
    'Modelle und ihre Entitäten: wo jede steht, ihre Daten und ihr Verlauf, und die Übergänge, die jetzt erlaubt sind.',
  triggers: 'Auslöser',
  whatStartsRunsFromOutside:
    'Was Läufe von außen startet: Webadressen, Zeitpläne, Nachrichten; was ankam und was daraus wurde; Ereignisse, die niemand nahm, und solche, die warten.',
  decisionTables: 'Entscheidungstabellen',
  rulesInRowsGaps:
    'Regeln in Zeilen. Lücken und Überschneidungen sind dort markiert, wo sie sind; probieren Sie Werte vor dem Veröffentlichen aus.',
  programsOutsideThatDoJobs:
    'Programme außerhalb, die Aufträge erledigen: wer welche Art abholt, wie viele warten, wie viele fehlschlagen.',
  mailServersDatabases:
    'Mailserver, Datenbanken, Broker und Schlüssel, die Abläufe verwenden. Werte sind versiegelt: Niemand kann sie hier lesen.',
  access: 'Zugriff',
  whoMayDoWhatUsers:
    'Wer was darf: Benutzer, Schlüssel, Zuweisungen, Anmeldedienste und Mandanten; warum jemand etwas darf oder nicht.',
  audit: 'Protokoll',
  whoChangedWhatAndWhen: 'Wer wann was geändert hat, als Kette, die zeigt, wenn eine Zeile fehlt.',
  yourAccount: 'Ihr Konto',
  yourSessionsYourPassword: 'Ihre Sitzungen, Ihr Passwort, Ihre Sprache und was Sie dürfen.',
  help: 'Hilfe',
  whatEachPage: 'Wozu jede Seite da ist, ihre Tasten und die API dieser Engine.',

  // permissions.ts
  looksAtEverything: 'sieht alles an, was nicht geheim ist',
  answersTasksAndStartsWhat: 'beantwortet Aufgaben und startet, was das erlaubt',
  doesJobsForTheEngine: 'erledigt Aufträge für die Engine',
  startsRunsSendsEvents: 'startet Läufe, sendet Ereignisse und Signale, schreibt Entitäten',
  makesAndPublishesFlows: 'macht und veröffentlicht Abläufe, Modelle und Auslöser',
  repairsRetryCancelPause: 'repariert: wiederholen, abbrechen, anhalten',
  everythingAccessIncluded: 'alles, auch den Zugriff',
  anAdminOfAllTenants: 'Das kann ein Admin aller Mandanten.',

  // picture-view.tsx
  thePictureArrowsScroll: 'Das Bild; Pfeile verschieben es',
  sizeOfThePicture: 'Größe des Bildes',
  closer: 'Näher',
  further: 'Weiter weg',
  readable: 'Lesbar',
  whole: 'Ganz',

  // picture.tsx
  visits: (visits) => `${visits} Durchgänge`,

  // run-filter.ts
  inTheLastHour: 'in der letzten Stunde',
  inTheLast24Hours: 'in den letzten 24 Stunden',
  inTheLast7Days: 'in den letzten 7 Tagen',
  inTheLast30Days: 'in den letzten 30 Tagen',
  statusIs: 'Status ist',
  started: 'Gestartet',

  // skeleton.tsx
  loading: 'Lädt',

  // table-row.tsx
  select: (name) => `${name} auswählen`,

  // table.tsx
  selectAllThatAreShown: 'Alle gezeigten auswählen',

  // times.ts
  justNow: 'gerade eben',
  yesterday: 'gestern',
  ago: (time) => `vor ${time}`,
  late: (time) => `${time} überfällig`,
  dueIn: (time) => `fällig in ${time}`,
  dueToday: (max) => `fällig heute ${max}`,
  dueTomorrow: (max) => `fällig morgen ${max}`,
  due: (at) => `fällig ${at}`,

  // trigger-words.ts
  byHand: 'Von Hand',
  webRequest: 'Webanfrage',
  mqttMessage: 'MQTT-Nachricht',
  schedule: 'Zeitplan',
  newData: 'Neue Daten',

  // value-list.tsx
  nothing: 'Nichts',
  value: 'Wert',
  andMoreSeeJson: (more) => `und ${more} weitere, siehe JSON`,

  // words.ts
  statuses: {
    failed: 'Fehlgeschlagen',
    person: 'Wartet auf eine Person',
    waiting: 'Wartet',
    running: 'Läuft',
    completed: 'Erledigt',
    cancelled: 'Abgebrochen',
  },
  nothing2: 'nichts',
  empty: 'leer',
  nEntries: (number) => count(number, { one: '# Eintrag', other: '# Einträge' }),
  nFields: (number) => count(number, { one: '# Feld', other: '# Felder' }),
  steps: 'Schritte',
  serverlessWorkflow: 'Serverless Workflow',
  flow: 'Ablauf',
  entityWorkflow: 'Entitätsablauf',

  // permissions.ts
  canDoThis: (roles) => `Das kann, wer eine dieser Rollen hat: ${listWords(roles, 'or')}.`,

  // keys.ts
  keys: {
    Alt: 'Alt',
    Ctrl: 'Strg',
    Delete: 'Entf',
    Enter: 'Eingabe',
    Escape: 'Esc',
    Shift: 'Umschalt',
    Space: 'Leertaste',
    Tab: 'Tab',
  },

  // bulk-progress.tsx: outcomes
  outcomeDone: 'Erledigt',
  outcomeLeftOut: 'Ausgelassen',
  outcomeRefused: 'Abgelehnt',

  // run-filter.ts: chips
  keyOrIdBeginsWith: 'Kennung oder ID beginnt mit',
  flowIs: 'Ablauf ist',
  versionIs: 'Version ist',
  keyIs: 'Kennung ist',
  failedBecause: 'Fehlgeschlagen wegen',
  failedBecauseOfSomethingWith: 'Fehlgeschlagen wegen etwas mit',
  failedAtStep: 'Fehlgeschlagen bei Schritt',
  standsAtStep: 'Steht bei Schritt',
  waitsFor: 'Wartet auf',

  // keys.ts: who bound them
  everywhere: 'Überall',
} satisfies Like<typeof English>;
