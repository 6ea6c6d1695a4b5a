/* texts/de/app.ts — German: the texts of the frame around all pages. */
import { rich } from '../say';
import type { Like } from '../shape';
import type { app as English } from '../en/app';

export const app = {
  // account-link.tsx
  nobodyHasToSign: 'Hier muss sich niemand anmelden: Wer diese Engine erreicht, darf alles',
  signedIn: (name) => `Angemeldet als ${name}`,
  noLogin: 'Ohne Anmeldung',

  // allowed-page.tsx
  notForYou: 'Nicht für Sie',
  thisPage: 'Diese Seite ist nicht für Sie',
  youAreSigned: (says, name) => rich`${says} Sie sind angemeldet als ${name}.`,
  goHome: 'Zur Startseite',

  // boundary.tsx
  weMadeAMistake: (what) => `Uns ist ein Fehler unterlaufen: ${what}.`,
  nothingInTheEngine: (message) => `In der Engine hat sich nichts geändert. ${message}`,
  tryAgain: 'Erneut versuchen',

  // find.tsx
  findAFlowRunTask: 'Ablauf, Lauf, Aufgabe finden …',
  findFlowsRunsTasksEntities: 'Abläufe, Läufe, Aufgaben, Entitäten, Auslöser und Seiten finden',
  whatWasFound: 'Was gefunden wurde',

  // finds.ts
  pages: 'Seiten',

  // gate.tsx
  thereIsNoSuchTenant: 'Diesen Mandanten gibt es nicht',
  youHaveNoRole: (pageTenant) =>
    rich`Sie haben keine Rolle in einem Mandanten mit dem Namen „${pageTenant}“.`,
  goToYourOwn: 'Zu Ihrem eigenen',
  theApplication: 'Die Anwendung',

  // key-help.tsx
  thisPageAsCurl: 'Diese Seite als curl',
  theLine: (url) => `die Zeile für ${url}`,
  help: 'Hilfe',
  keys: (title) => `Tasten: ${title}`,
  allHelp: 'Gesamte Hilfe',
  theApi: 'Die API',

  // routes.ts
  home: 'Start',
  flows: 'Abläufe',
  runs: 'Läufe',
  inbox: 'Posteingang',
  entities: 'Entitäten',
  triggers: 'Auslöser',
  decisionTables: 'Entscheidungstabellen',
  workers: 'Worker',
  connections: 'Verbindungen',
  access: 'Zugriff',
  audit: 'Protokoll',

  // shell.tsx
  connecting: 'Verbindet',
  live: 'Live',
  engineAway: 'Engine nicht erreichbar',
  lightOrDark: 'Hell oder dunkel wie im System.',
  light: 'Hell.',
  dark: 'Dunkel.',
  failed: 'fehlgeschlagen',
  openTasks: 'offene Aufgaben',
  notOverOrFailed: 'nicht beendet oder fehlgeschlagen',
  engineIsUnwell: 'Der Engine geht es schlecht',
  engineHaveALook: 'Engine: bitte nachsehen',
  engineIsWell: 'Der Engine geht es gut',
  versionUp: (version, time) => `Version ${version} · Laufzeit ${time}`,
  findEverything: 'Alles finden',
  findAnythingCtrlK: 'Alles finden (Strg K in Feldern)',
  helpForThisPage: 'Hilfe zu dieser Seite und ihre Tasten',
  nextPartArrowsMoveInside: 'Nächster Teil; Pfeile bewegen sich in Listen und Bildern',
  skipToThePage: 'Zum Inhalt springen',
  helpAndKeys: 'Hilfe und Tasten',
  switchBetweenLightAndDark: 'Zwischen hell und dunkel wechseln',
  theEngineDoesNotAnswer:
    'Die Engine antwortet nicht. Diese Seite zeigt den letzten bekannten Stand und versucht es von selbst erneut.',
  thisPage2: 'diese Seite',
  thereIsNoSuchPage: 'Diese Seite gibt es nicht',

  // tenant-switch.tsx
  theTenant: (tenant) => `Der Mandant ${tenant}`,
  tenant: 'Mandant',

  // use-finds.ts
  allRuns: 'alle Läufe',
  search: 'Suche',
  allRunsWhoseKeyBegins: (text) => `Alle Läufe, deren Kennung mit „${text}“ beginnt`,
  peoplesTasks: 'Aufgaben für Personen',
  version: (modelVersion) => `Version ${modelVersion}`,
  openTheEntity: 'Entität mit dieser ID öffnen',
  notAllTriggersWereLooked: 'Nicht alle Auslöser wurden durchsucht.',
  onlyTheNewestEntitiesWere: 'Nur die neuesten Entitäten wurden durchsucht.',
  aSingleEntityIsFound: 'Eine einzelne Entität finden Sie über ihre ID oder auf der Seite ihres Modells.',

  // routes.ts
  groups: { work: 'Arbeit', setUp: 'Einrichtung' },

  // shell.tsx
  timesAreIn: (zone, offset) => `Zeiten: ${zone}, ${offset}`,
} satisfies Like<typeof English>;
