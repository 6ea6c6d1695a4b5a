/* texts/de/home.ts — German: the texts of the home page. */
import { count } from '../say';
import type { Like } from '../shape';
import type { home as English } from '../en/home';

export const home = {
  // attention-cards.tsx
  lateTasks: 'Überfällige Aufgaben',
  ofOpen: (late, open) => `${late} von ${open} offenen`,
  allTasks: 'Alle Aufgaben',
  theLateTasks: 'Die überfälligen Aufgaben',
  anybody: 'alle',
  open: (title) => `${title} öffnen`,
  open2: 'Öffnen',
  flowsWithWarnings: 'Abläufe mit Warnungen',
  someOfThem: 'einige davon',
  allFlows: 'Alle Abläufe',
  open3: (name) => `${name} öffnen`,

  // engine-cards.tsx
  queue: 'Warteschlange',
  store: 'Speicher',
  disk: 'Festplatte',
  timers: 'Zeitgeber',
  workers: 'Worker',
  nodes: 'Knoten',
  startsArePaused: 'Starts sind angehalten.',
  newRunsBeginAgain: 'Neue Läufe beginnen wieder.',
  letNewRunsBegin: 'Neue Läufe beginnen lassen',
  pauseStarts: 'Starts anhalten …',
  pauseAllStarts: 'Alle Starts anhalten?',
  back: 'Zurück',
  pauseStarts2: 'Starts anhalten',
  newRunsOfAllFlows:
    'Neue Läufe aller Abläufe werden angelegt und warten, wer sie auch startet. Was begonnen hat, läuft weiter. Die Pause überdauert einen Neustart der Engine, bis jemand neue Läufe wieder beginnen lässt.',
  engine: 'Engine',
  versionUp: (version, time) => `Version ${version}, Laufzeit ${time}`,
  min: (more) => `${more} / min`,
  max: (top) => `max. ${top}`,
  started: 'Gestartet',
  finished: 'Beendet',
  failed: 'Fehlgeschlagen',
  aMinute: (most) => `${most} pro Minute`,
  commit95Of100: 'Commit, 95 von 100',
  lastHour: 'Letzte Stunde',
  toByMinute: (at, at2) => `${at} bis ${at2}, nach Minuten`,
  theLastHour: 'Die letzte Stunde',
  moreTenantsAreAtWork:
    'Es arbeiten mehr Mandanten, als die Engine nach Minuten zählt: Dieser wird nicht gezählt.',

  // headline.ts
  nRunsFailed: (number) => count(number, { one: '# Lauf fehlgeschlagen', other: '# Läufe fehlgeschlagen' }),
  nTasksAreLate: (number) => count(number, { one: '# Aufgabe überfällig', other: '# Aufgaben überfällig' }),
  nothingNeedsYou: 'Nichts braucht Sie',
  jobsWaitForAWorker: 'Aufträge warten, und kein Worker übernimmt sie.',
  startsWait: 'Starts sind angehalten: Neue Läufe warten.',
  everythingElseMoves: 'Alles andere läuft von selbst.',
  nRunsWaitForPeople: (number) =>
    count(number, { one: '# Lauf wartet auf Personen.', other: '# Läufe warten auf Personen.' }),
  nRunsOnTheWay: (number) => count(number, { one: '# Lauf unterwegs.', other: '# Läufe unterwegs.' }),
  noRun: 'Kein Lauf ist unterwegs.',

  // home-page.tsx
  theLastHour2: 'die letzte Stunde ist nicht gezählt',
  nOfTheirTasks: (number) =>
    count(number, { one: '# Aufgabe davon überfällig', other: '# Aufgaben davon überfällig' }),
  inTheLastHour: (failed) => `${failed} in der letzten Stunde`,
  forATime: 'auf eine Zeit oder ein Ereignis',
  startedInTheHour: (started) => `${started} in der Stunde gestartet`,
  thisHour: 'in dieser Stunde',
  inTheLast60Minutes: 'in den letzten 60 Minuten',
  runsByStatus: 'Läufe nach Status',
  home: 'Start',
  home2: (title) => `Start: ${title}`,
  theCounts: 'Die Zahlen',

  // reasons-card.tsx
  forNoReasonGiven: 'Ohne Angabe eines Grundes',
  in: 'in',
  severalFlows: 'mehreren Abläufen',
  retry: (count) => `${count} wiederholen …`,
  failedByReason: 'Fehlgeschlagen, nach Grund',
  aBarIs5Minutes: 'ein Balken sind 5 Minuten der letzten Stunde',
  allInRuns: (total) => `Alle ${total} in Läufe`,
  theReasons: 'Die Gründe',
  noRunHasFailed: 'Kein Lauf ist fehlgeschlagen',
  whenOneDoesItsReason: 'Wenn einer fehlschlägt, steht sein Grund hier.',
  reason: 'Grund',
  when: 'Wann',
  runs: 'Läufe',
  last: 'Zuletzt',
  do: 'Aktion',
  and: (more) => `und ${more}`,
  nMoreReasons: (number) => count(number, { one: '# weiterer Grund', other: '# weitere Gründe' }),

  // engine-cards.tsx: health
  well: 'Gut',
  look: 'Prüfen',
  bad: 'Schlecht',
} satisfies Like<typeof English>;
