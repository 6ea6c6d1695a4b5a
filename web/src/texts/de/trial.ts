/* texts/de/trial.ts — German: the texts of the builder’s test. */
import type { Like } from '../shape';
import type { trial as English } from '../en/trial';

export const trial = {
  // test-asked.tsx
  afterAnHour: 'nach einer Stunde',
  afterADay: 'nach einem Tag',
  after3Days: 'nach 3 Tagen',
  afterAWeek: 'nach einer Woche',
  after30Days: 'nach 30 Tagen',
  startsBy: 'Beginnt mit',
  whatGoes: 'Was hineingeht',
  changeTheSample: 'Beispiel ändern',
  whatIsAsked: 'Was gefragt wird',
  allCallsWork: 'Alle Aufrufe gelingen',
  ofTheCallsFail: (count) => `${count} Aufrufe schlagen fehl`,
  fails: (more) => `${more} schlägt fehl`,
  runWith: 'Damit testen',
  theEventComes: (name) => `${name}: das Ereignis kommt`,
  isAnswered: (name) => `${name} wird beantwortet`,
  answerOf: (name, text) => `Antwort von ${name}${text}`,
  madeUp: 'ausgedacht …',
  values: 'Werte …',
  whenAnswers: (name, text) => `Wann ${name} antwortet${text}`,
  never: 'nie',
  fillsIn: (name, text) => `füllt aus … ${name}${text}`,
  fillsIn2: 'füllt aus …',
  leaveOut: (sayRound) => `Auslassen: ${sayRound}`,
  anotherItem: 'Weiteres Element',
  anotherTime: 'Weiteres Mal',
  whatComes: (name) => `Was mit ${name} kommt`,
  whatAnswers: (name) => `Was ${name} antwortet`,
  sendThis: 'Dies senden',
  answerSo: 'So antworten',

  // test-panel.tsx
  test: 'Test',
  anOldResultSomething: 'Altes Ergebnis: Seitdem hat sich etwas geändert',
  nothingLeavesTheEngineNo: 'Nichts verlässt die Engine: keine E-Mail, kein Aufruf.',
  runTheTest: 'Test ausführen',
  runAgain: 'Noch einmal testen',
  keepAsATest: 'Als Test behalten',
  closeTheTest: 'Test schließen',
  runTheTestToSee:
    'Führen Sie den Test aus, um zu sehen, welchen Weg der Ablauf nimmt und was jeder Schritt bekommt.',
  reached: (name) => `Erreicht: ${name}`,
  failedAt: (name) => `Fehlgeschlagen bei ${name}`,
  stoppedAt: (name) => `Angehalten bei ${name}`,
  waitsAt: (name) => `Wartet bei ${name}`,

  // test-plan.ts
  eachItem: 'jedes Element',
  eachTime: 'jedes Mal',
  everyOtherItem: 'jedes andere Element',
  afterThat: 'danach',
  item: (more) => `Element ${more}`,
  theTestLetsItFail: 'Der Test lässt es fehlschlagen.',

  // test-steps.tsx
  pretended: 'nur so getan',
  pinned: 'festgelegt',
  failed: 'fehlgeschlagen',
  notSent: 'nicht gesendet',
  waits: 'wartet',
  answerRefused: 'Antwort abgelehnt',
  nothing: 'nichts',
  asked: 'Gefragt',
  wouldSend: 'Würde gesendet',
  theEMail: 'Die E-Mail, wie sie aussähe',
  to: 'An',
  nobody: 'niemand',
  copyTo: 'Kopie an',
  noSubject: 'Kein Betreff',
  waited: (time) => `Gewartet: ${time}`,
  theAnswerWasRefused: (refused) => `Die Antwort wurde abgelehnt: ${refused}`,
  in: 'Hinein',
  out: 'Heraus',
  keepThisAnswer: 'Diese Antwort für den nächsten Test behalten',

  // use-trial.ts
  stopped: 'angehalten',
  theTestEnded: (status) => `Der Test endete: ${status}`,

  // test-plan.ts
  nthTime: (number) => `${number}. Mal`,
} satisfies Like<typeof English>;
