/* texts/en/trial.ts — English: the texts of the builder’s test. */
import { ordinal } from '../say';

export const trial = {
  // test-asked.tsx
  afterAnHour: 'after an hour',
  afterADay: 'after a day',
  after3Days: 'after 3 days',
  afterAWeek: 'after a week',
  after30Days: 'after 30 days',
  startsBy: 'Starts by',
  whatGoes: 'What goes in',
  changeTheSample: 'Change the sample',
  whatIsAsked: 'What is asked of it',
  allCallsWork: 'All calls work',
  ofTheCallsFail: (count: number) => `${count} of the calls fail`,
  fails: (more: string) => `${more} fails`,
  runWith: 'Run with this',
  theEventComes: (name: string) => `${name}: the event comes`,
  isAnswered: (name: string) => `${name} is answered`,
  answerOf: (name: string, text: string) => `Answer of ${name}${text}`,
  madeUp: 'made up…',
  values: 'values…',
  whenAnswers: (name: string, text: string) => `When ${name} answers${text}`,
  never: 'never',
  fillsIn: (name: string, text: string) => `fills in… ${name}${text}`,
  fillsIn2: 'fills in…',
  leaveOut: (sayRound: string) => `Leave out: ${sayRound}`,
  anotherItem: 'Another item',
  anotherTime: 'Another time',
  whatComes: (name: string) => `What comes with ${name}`,
  whatAnswers: (name: string) => `What ${name} answers`,
  sendThis: 'Send this',
  answerSo: 'Answer so',

  // test-panel.tsx
  test: 'Test',
  anOldResultSomething: 'An old result: something has changed since',
  nothingLeavesTheEngineNo: 'Nothing leaves the engine: no e-mail, no call.',
  runTheTest: 'Run the test',
  runAgain: 'Run again',
  keepAsATest: 'Keep as a test',
  closeTheTest: 'Close the test',
  runTheTestToSee: 'Run the test to see which way the flow goes and what each step gets.',
  reached: (name: string) => `Reached ${name}`,
  failedAt: (name: string) => `Failed at ${name}`,
  stoppedAt: (name: string) => `Stopped at ${name}`,
  waitsAt: (name: string) => `Waits at ${name}`,

  // test-plan.ts
  eachItem: 'each item',
  eachTime: 'each time',
  everyOtherItem: 'every other item',
  afterThat: 'after that',
  item: (more: number) => `item ${more}`,
  theTestLetsItFail: 'The test lets it fail.',

  // test-steps.tsx
  pretended: 'pretended',
  pinned: 'pinned',
  failed: 'failed',
  notSent: 'not sent',
  waits: 'waits',
  answerRefused: 'answer refused',
  nothing: 'nothing',
  asked: 'Asked',
  wouldSend: 'Would send',
  theEMail: 'The e-mail as it would look',
  to: 'To',
  nobody: 'nobody',
  copyTo: 'Copy to',
  noSubject: 'No subject',
  waited: (time: string) => `Waited ${time}`,
  theAnswerWasRefused: (refused: string) => `The answer was refused: ${refused}`,
  in: 'In',
  out: 'Out',
  keepThisAnswer: 'Keep this answer for the next test',

  // use-trial.ts
  stopped: 'stopped',
  theTestEnded: (status: string) => `The test ended: ${status}`,

  // test-plan.ts
  nthTime: (number: number) =>
    ordinal(number, { one: '#st time', two: '#nd time', few: '#rd time', other: '#th time' }),
};
